import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS, type Tier } from '../../../../shared/contract/agents/tiers.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import type { LearnedAttemptOutcome } from '../../../../shared/control/cascade/learning/attempt-outcomes.ts';
import { TierPolicySettings } from '../../../../shared/control/cascade/learning/cascade-policy.ts';
import { EMPTY_DAILY_METRICS } from '../../../../shared/control/metrics/daily-metrics.ts';
import { addProposal, applyTestedProposal } from '../../../../shared/control/tune/proposal-commands.ts';
import { AUTOMATIC_TUNING_ACTOR } from '../../../../shared/control/tune/proposals.ts';
import type { SettingChange } from '../../../../shared/control/tune/setting-change.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import type { ObjectStore } from '../../../../shared/store/object-store.ts';
import type { TaskStore } from '../../../../shared/store/task-store.ts';
import { SettingTuningStore } from '../../../../shared/store/tuning-state.ts';
import { runSelectModelStep } from '../../../../shared/use-cases/cascade/cascade-steps.ts';
import {
  applyProposal,
  proposeSettingChanges,
  revertProposal,
  runAutomaticTuning,
  type SettingTuningContext,
} from '../../../../shared/use-cases/operate/tune-settings.ts';
import { reduceEvidenceToVerdict } from '../../../../shared/use-cases/review/janitor-steps.ts';
import {
  addSeconds,
  evidence,
  FIXED_NOW,
  gate,
  signal,
  task,
  taskInReview,
  verification,
} from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';
import { stub } from '../../../support/stub.ts';

const table = await createTestTable();
afterAll(() => table.close());
const word = { by: 'ann', reason: 'its numbers' };
const skip: SettingChange = { kind: 'route', role: 'backend', complexity: 'low', tier: 'sonnet' };
let tuning: SettingTuningStore;
let number = 0;
beforeEach(async () => {
  number += 1;
  tuning = new SettingTuningStore(new ItemTable(table.db, await table.another(`tune-${number}`)));
});

const outcome = (n: number, attempt: number, tier: Tier, passed: boolean): LearnedAttemptOutcome => ({
  id: `t${n}#${attempt}`,
  model: MODELS[tier],
  passed,
  cost_usd: tier === 'haiku' ? 0.3 : 0.9,
  seconds: 60,
  judging_cost_usd: 0,
  at: addSeconds(n).toISOString(),
});
const ns = Array.from({ length: 40 }, (_, n) => n);
/** A role of which haiku does `passes` of 40 tasks, and sonnet the others. */
const context = (policy: object, passes = 2, now = addSeconds(10_000)): SettingTuningContext => ({
  tuning,
  beliefs: {
    readRole: async () => ({
      control: { revision: 0, pins: {}, since: {}, history: [] },
      windows: [
        { complexity: 'low', tier: 'haiku', window: ns.map((n) => outcome(n, 1, 'haiku', n < passes)) },
        {
          complexity: 'low',
          tier: 'sonnet',
          window: ns.slice(passes).map((n) => outcome(n, 2, 'sonnet', true)),
        },
      ],
    }),
  },
  taskCounts: {
    read: async () => ({ roles: new Map([['backend', {}]]) }),
  },
  dailyMetrics: { readDays: async () => new Map([['2026-01-01', EMPTY_DAILY_METRICS]]) },
  models: MODELS,
  policy: TierPolicySettings.parse(policy),
  now,
});

describe('what the deployment proposes of its own settings', () => {
  it('is applied by a person when its replay holds, reaches the next task, and is taken back', async () => {
    const at = context({ tuning_level: 'L2' });
    const { proposals } = await proposeSettingChanges(undefined, word, at);
    expect(proposals.map(({ change: setting, level, status }) => [setting, level, status])).toEqual([
      [skip, 'L2', 'proposed'],
    ]);
    const start = async (id: string) => {
      await table.tasks.create(task({ id, run: 1, complexity: 'low' }));
      const learning = { beliefs: at.beliefs, spend: table.spend, policy: at.policy, tuning: tuning };
      await runSelectModelStep(id, 1, { ...table, models: MODELS, learning, now: at.now });
      return (await table.tasks.require(id)).attempts[0];
    };
    expect((await start('before'))?.tier).toBe('haiku');
    const applied = await applyProposal('p1', word, at);
    expect(applied.proposals[0]).toMatchObject({
      status: 'applied',
      applied_by: 'ann',
      test: { passed: true, worst_case: 2 },
    });
    const during = await start('during');
    expect(during).toMatchObject({ tier: 'sonnet', route: { tier_choice: { strategy: 'proposal' } } });
    expect(during?.route?.reason).toContain('sonnet first by proposal p1');
    await revertProposal('p1', word, at);
    expect((await start('after'))?.tier).toBe('haiku');
    expect((await tuning.read()).history.map(({ action }) => action)).toEqual(['revert', 'apply', 'propose']);
  });

  it('a proposal whose replay does not hold is refused with numbers, and nothing of it is in force', async () => {
    const at = context({ tuning_level: 'L2' }, 30);
    await proposeSettingChanges(skip, word, at);
    await expect(applyProposal('p1', word, at)).rejects.toThrow(
      /^proposal p1 is refused: replay of 40 tasks \(30 over what was never tried, taken at its worst; 0 left out\): dollars per task 0\.\d+ \(.*not shown to save/,
    );
    expect(await tuning.read()).toMatchObject({ active_changes: {}, proposals: [{ status: 'refused' }] });
  });

  it('what is above the level is applied by nobody, and what means nothing here is refused with its field', async () => {
    const at = context({ tuning_level: 'L1' });
    await proposeSettingChanges(skip, word, at);
    await expect(applyProposal('p1', word, at)).rejects.toThrow(
      'proposal p1 is not applied: this is of level L2, and the deployment applies up to L1',
    );
    await expect(
      proposeSettingChanges({ kind: 'threshold', name: 'epsilon', value: 0.2 }, word, at),
    ).rejects.toMatchObject({ code: 'invalid', errors: [{ pointer: '/change/name' }] });
    await expect(proposeSettingChanges(skip, word, context({ policy: 'thompson' }))).rejects.toMatchObject({
      errors: [{ pointer: '/change/kind' }],
    });
    await expect(applyProposal('p9', word, at)).rejects.toMatchObject({ code: 'not_found' });
    expect((await tuning.read()).active_changes).toEqual({});
  });

  it('two who apply rivals at once: one of them is applied', async () => {
    const at = context({ tuning_level: 'L2' });
    await proposeSettingChanges(skip, word, at);
    await proposeSettingChanges({ ...skip, tier: 'opus' }, word, at);
    const said = await Promise.allSettled(['p1', 'p2'].map((id) => applyProposal(id, word, at)));
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { active_changes, proposals } = await tuning.read();
    expect(Object.keys(active_changes)).toEqual(['route backend low']);
    expect(proposals.filter(({ status }) => status === 'applied')).toHaveLength(1);
  });
});

describe('a deployment that acts for itself', () => {
  const greedy = { policy: 'greedy', min_observations: 50 };
  const prompt: SettingChange = { kind: 'prompt', role: 'backend', text: 'Run the linter.' };

  it('does nothing at L0, looks once a day at L1, and leaves routes to a person', async () => {
    expect(await runAutomaticTuning(context({ tuning_level: 'L0' }))).toBeNull();
    const at = context({ tuning_level: 'L3' });
    await proposeSettingChanges(prompt, word, at);
    expect(await runAutomaticTuning(at)).toEqual({ proposed: 1, applied: ['p1'], refused: [] });
    expect(await runAutomaticTuning(at)).toBeNull();
    const { active_changes, proposals, history } = await tuning.read();
    expect(active_changes).toMatchObject({ 'prompt backend': { share: 'half' } });
    expect(proposals.map(({ status }) => status)).toEqual(['trial', 'proposed']);
    expect(history[0]).toMatchObject({ action: 'try', by: AUTOMATIC_TUNING_ACTOR });
    // The next day the trial is not over: it goes on, and nothing changes.
    const next = await runAutomaticTuning(context({ tuning_level: 'L3' }, 2, addSeconds(100_000)));
    expect(next?.refused[0]).toContain('the trial of p1 is not over');
  });

  it('after a person has taken something back it rests', async () => {
    const at = context({ ...greedy, tuning_level: 'L1' });
    await proposeSettingChanges(prompt, word, at);
    await applyProposal('p1', word, at);
    await revertProposal('p1', word, at);
    await proposeSettingChanges(prompt, word, at);
    expect((await runAutomaticTuning(at))?.applied).toEqual([]);
  });
});

describe('a gate whose requirement was changed', () => {
  it('decides as the deployment says, and the verdict names the proposal', async () => {
    const reduced = async (state: Pick<SettingTuningStore, 'read'> | undefined) => {
      const of: Task = taskInReview({ verification: verification() });
      const tasks = stub<TaskStore>({ require: async () => of });
      const text = JSON.stringify(
        evidence({
          signals: [signal()],
          gates: [gate({ name: 'lint', outcome: 'failed', required: true, blocked: false })],
        }),
      );
      const objects = stub<ObjectStore>({ getByDigest: async () => text });
      return (
        await reduceEvidenceToVerdict(
          { task_id: of.id, run: of.run, attempt: 1, execution_id: 'one', is_retry: false },
          { tasks, objects, models: {}, now: FIXED_NOW, ...(state && { tuning: state }) },
        )
      ).verdict;
    };
    expect((await reduced(undefined)).verdict).toBe('fail');
    const setting: SettingChange = { kind: 'gate', gate: 'lint', required: false };
    await tuning.update((state) => addProposal(state, setting, 'n', { ...word, now: addSeconds(1) }));
    const test = {
      by: 'words',
      at: addSeconds(1).toISOString(),
      passed: true,
      reason: 'n',
      tasks: 60,
      excluded: 0,
      worst_case: 0,
      cost_usd: null,
      pass_rate: null,
    } as const;
    await tuning.update((state) =>
      applyTestedProposal(state, 'p1', test, 'L3', { ...word, now: addSeconds(1) }),
    );
    const verdict = await reduced(tuning);
    expect(verdict.verdict).toBe('pass');
    expect(verdict.reasons).toEqual([
      {
        code: 'requirement_changed',
        subject: 'lint',
        message: 'gate lint failed, and it is not required here, by proposal p1, whatever the base says',
      },
    ]);
  });
});
