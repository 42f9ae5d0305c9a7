import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoordinationSettings } from '../../../../shared/contract/coordination/settings.ts';
import { Plan } from '../../../../shared/contract/plan/schema.ts';
import {
  derivePlanProgress,
  getPlanCoordinationSettings,
} from '../../../../shared/control/coordination/plan-coordination.ts';
import { plannedTaskId } from '../../../../shared/control/planning/planned-tasks.ts';
import { startRetryRound } from '../../../../shared/control/task-commands/operator-commands.ts';
import { provideNoCredentials } from '../../../../shared/store/credential-provider.ts';
import { runResolveBaseCommitStep } from '../../../../shared/use-cases/cascade/resolve-base-commit.ts';
import { addSeconds, FIXED_NOW, fakeSha1, task } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const own = CoordinationSettings.parse({ chain: ['progress_ledger'] });
const plan = (id: string, coordination?: CoordinationSettings) =>
  task({
    id,
    base_ref: 'main',
    base_commit: null,
    description: 'Round to even',
    plan: { max_tasks: 5, proposal: null, ...(coordination && { coordination }) },
  });

/** What becomes of a plan whose base has this `assay.yaml`. */
async function resolved(of: ReturnType<typeof plan>, text: string) {
  await table.tasks.create(of);
  await again(of.id, 1, text);
  return table.tasks.require(of.id);
}
const again = (id: string, run: number, text: string) =>
  runResolveBaseCommitStep(id, run, {
    tasks: table.tasks,
    deadlines: table.deadlines,
    now: () => FIXED_NOW,
    readRefs: async () => [{ name: 'refs/heads/main', id: fakeSha1('a') }],
    readFiles: async (_repository, _commit, paths) =>
      new Map(paths.map((path) => [path, path === 'assay.yaml' ? text : null])),
    getCredential: provideNoCredentials,
    sleep: async () => {},
  });
const YAML = 'middleware:\n  coordination:\n    replan_strategy: magentic\n';

describe('what a project says of its plans', () => {
  it('is in force for a plan that says nothing itself, and its own word comes before it', async () => {
    expect(getPlanCoordinationSettings(await resolved(plan('A'), YAML))).toMatchObject({
      replan_strategy: 'magentic',
    });
    expect(getPlanCoordinationSettings(await resolved(plan('B', own), YAML))).toEqual(own);
    expect(getPlanCoordinationSettings(await resolved(plan('C'), 'version: 1\n'))).toEqual(
      CoordinationSettings.parse({}),
    );
  });

  it('is that of the present base: another round has nothing of the one before', async () => {
    const first = await resolved(plan('D'), YAML);
    const failed = {
      ...first,
      status: 'failed' as const,
      ended_at: FIXED_NOW.toISOString(),
      failure: { code: 'x', message: 'y' },
    };
    const next = startRetryRound(failed, FIXED_NOW)?.task;
    if (!next) throw new Error('there is no other round');
    const other = await resolved({ ...next, id: 'D2', status: 'open', run: 1 }, 'version: 1\n');
    expect(other.plan).not.toHaveProperty('base_coordination');
  });

  it('may ask for more than is usual: what is unclear to it ends the plan before anything is spent, with the reasons', async () => {
    const text = 'middleware:\n  coordination:\n    clarification_gate: { match_mode: search }\n';
    const goal = { ...plan('E'), description: 'The login works with two factors' };
    expect(await resolved(goal, text)).toMatchObject({
      status: 'failed',
      attempts: [],
      failure: { code: 'agent_blocked', message: expect.stringContaining('says nothing of this work') },
    });
    expect((await resolved({ ...goal, id: 'F', plan: plan('F', own).plan }, text)).status).toBe('open');
  });

  it.each([
    ['an unknown name', 'chain: [task_ledger, magic]', 'assay.yaml:3: middleware.coordination.chain.1'],
    ['a name twice', 'chain: [task_ledger, task_ledger]', 'has task_ledger twice'],
    [
      'a strategy that is none',
      'replan_strategy: always',
      'assay.yaml:3: middleware.coordination.replan_strategy',
    ],
  ])('is refused with its line where it has %s', async (name, line, why) => {
    const { status, failure } = await resolved(
      plan(name.replaceAll(' ', '-')),
      `middleware:\n  coordination:\n    ${line}\n`,
    );
    expect([status, failure?.code]).toEqual(['failed', 'config_invalid']);
    expect(failure?.message).toContain(why);
  });
});

it('a plan of which a budget has stopped a task is not planned anew: another plan would meet the same', () => {
  const tasks = ['a', 'b'].map((key) => ({
    key,
    title: key,
    completion_signals: [{ type: 'path_exists', path: 'x' }],
  }));
  const of = task({
    id: 'P',
    plan: {
      max_tasks: 5,
      proposal: { ...Plan.parse({ tasks }), notes: [] },
      coordination: CoordinationSettings.parse({ replan_strategy: 'magentic' }),
    },
  });
  const child = (key: string, at: number, code: string) => {
    const id = plannedTaskId(of.id, key);
    const failure = { code, message: 'of day_usd 200 nothing is left' };
    return [id, task({ id, status: 'failed', failure, ended_at: addSeconds(at).toISOString() })] as const;
  };
  const [a, b] = [child('a', 1, 'budget_exhausted'), child('b', 2, 'verification_failed')];
  expect(derivePlanProgress(of, new Map([a])).replanLedger).toBeNull();
  expect(derivePlanProgress(of, new Map([a, b])).replanLedger).toBeNull();
  expect(derivePlanProgress(of, new Map([b])).replanLedger).toMatchObject({ reset_count: 1 });
});
