import type { TierModels } from '../../contract/agents/tiers.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { TierPolicySettings } from '../../control/cascade/learning/cascade-policy.ts';
import type { RoleLearningState } from '../../control/cascade/learning/tier-pass-rate.ts';
import {
  addDailyMetrics,
  type DailyMetrics,
  EMPTY_DAILY_METRICS,
} from '../../control/metrics/daily-metrics.ts';
import { formatDateDaysBefore } from '../../control/metrics/quality-views.ts';
import { applyTuningToCascadePolicy } from '../../control/tune/active-changes.ts';
import { deriveLearnedRecordedTasks, type LearnedRecordedTask } from '../../control/tune/deployment-tasks.ts';
import { deriveProposals } from '../../control/tune/derive-proposals.ts';
import { evaluateTrial } from '../../control/tune/evaluate-trial.ts';
import { testGateRequirementChange } from '../../control/tune/gate-requirement-test.ts';
import {
  addProposal,
  applyTestedProposal,
  findTuningCooldownReason,
  type ProposalCommandContext,
  proposalRefusalReason,
  requireApplicableProposal,
  revertActiveProposal,
} from '../../control/tune/proposal-commands.ts';
import {
  AUTOMATIC_TUNING_ACTOR,
  type Proposal,
  type TuningProposalTestResult,
  type TuningState,
} from '../../control/tune/proposals.ts';
import { replaySettingChange } from '../../control/tune/replay-change.ts';
import {
  buildSettingKey,
  rankTuningLevel,
  requiredTuningLevel,
  type SettingChange,
} from '../../control/tune/setting-change.ts';
import type { DailyMetricsStore } from '../../store/daily-metrics.ts';
import type { RoleLearningStore } from '../../store/role-learning.ts';
import type { TaskCounts } from '../../store/task-counts.ts';
import type { SettingTuningStore } from '../../store/tuning-state.ts';

/** Days of figures that say how gates fare. */
const DAYS = 28;
/** Between two looks of the deployment by itself. */
const EVERY_MS = 86_400_000;

export interface SettingTuningContext {
  readonly tuning: SettingTuningStore;
  readonly beliefs: Pick<RoleLearningStore, 'readRole'>;
  /** Which roles ever had a task. */
  readonly taskCounts: { readonly read: () => Promise<Pick<TaskCounts, 'roles'>> };
  readonly dailyMetrics: Pick<DailyMetricsStore, 'readDays'>;
  readonly models: TierModels;
  /** As it is configured. */
  readonly policy: TierPolicySettings;
  readonly now: Date;
}

interface TuningEvidence {
  readonly tasks: readonly LearnedRecordedTask[];
  readonly metrics: DailyMetrics;
}

/** What the deployment knows of its own work. */
async function loadTuningEvidence({
  beliefs,
  taskCounts,
  dailyMetrics,
  models,
  now,
}: SettingTuningContext): Promise<TuningEvidence> {
  const [{ roles }, days] = await Promise.all([
    taskCounts.read(),
    dailyMetrics.readDays(formatDateDaysBefore(now, DAYS - 1), formatDateDaysBefore(now, 0)),
  ]);
  const memories = new Map<string, RoleLearningState>();
  for (const role of [...roles.keys()].sort()) memories.set(role, await beliefs.readRole(role));
  return {
    tasks: deriveLearnedRecordedTasks(memories, models),
    metrics: [...days.values()].reduce((sum, each) => addDailyMetrics(sum, each), EMPTY_DAILY_METRICS),
  };
}

/** A change that makes no difference here is refused, rather than kept as a setting that does nothing. */
function requireMeaning(
  setting: SettingChange,
  { policy, state }: { policy: TierPolicySettings; state: TuningState },
): void {
  if (setting.kind === 'route' && policy.policy !== 'fixed')
    throw new Refusal(
      'invalid',
      `the policy ${policy.policy} chooses where tasks begin; a route changes only what \`fixed\` does`,
      [{ pointer: '/change/kind', message: 'has no effect under the policy of this deployment' }],
    );
  if (setting.kind !== 'threshold') return;
  const needs = setting.name === 'min_observations' ? ['greedy', 'thompson'] : ['greedy'];
  if (!needs.includes(policy.policy))
    throw new Refusal(
      'invalid',
      `${setting.name} is a number of the policy ${needs.join(' or ')}; this deployment has ${policy.policy}`,
      [{ pointer: '/change/name', message: 'has no effect under the policy of this deployment' }],
    );
  if (applyTuningToCascadePolicy(policy, state)[setting.name] === setting.value)
    throw new Refusal('invalid', `${setting.name} is ${setting.value} already`, [
      { pointer: '/change/value', message: 'is what holds already' },
    ]);
}

/** Tests a proposal on what is known; `running`: it must be tried, or go on being tried, and why. */
function testProposal(
  { id, change: setting, status, applied_at }: Pick<Proposal, 'id' | 'change' | 'status' | 'applied_at'>,
  state: TuningState,
  { tasks, metrics }: TuningEvidence,
  { models, policy, now }: SettingTuningContext,
): TuningProposalTestResult | { readonly running: string } {
  if (setting.kind === 'gate')
    return testGateRequirementChange(setting, metrics.further.words[setting.gate], now);
  if (setting.kind === 'prompt')
    return status === 'trial' && applied_at
      ? evaluateTrial(id, setting.role, applied_at, tasks, now)
      : { running: 'it has not been tried yet' };
  return replaySettingChange(setting, buildSettingKey(setting), { tasks, models, policy, state, now });
}

/** Proposes a change, or, where none is named, all that the deployment's records suggest. */
export async function proposeSettingChanges(
  setting: SettingChange | undefined,
  { by, reason }: Omit<ProposalCommandContext, 'now'>,
  context: SettingTuningContext,
): Promise<TuningState> {
  const { tuning, policy, models, now } = context;
  const known = setting ? null : await loadTuningEvidence(context);
  return tuning.update((state) => {
    if (setting) {
      requireMeaning(setting, { policy, state });
      const next = addProposal(state, setting, reason, { by, reason, now });
      if (next) return next;
      throw new Refusal('conflict', `this is proposed already, or in force: ${buildSettingKey(setting)}`);
    }
    if (!known) return null;
    const found = deriveProposals({ ...known, models, policy, state, now });
    let next: TuningState | null = null;
    for (const idea of found)
      next =
        addProposal(next ?? state, idea.settingChange, idea.evidence, { by, reason: idea.evidence, now }) ??
        next;
    return next;
  });
}

/**
 * Applies a proposal when its test holds; begins a trial where only that can test it, and ends one that is over. @throws Refusal `conflict` with the numbers where
 * it does not hold; it is written down as refused, and nothing of it is in force.
 */
export async function applyProposal(
  id: string,
  word: Omit<ProposalCommandContext, 'now'>,
  context: SettingTuningContext,
): Promise<TuningState> {
  const { tuning, policy, now } = context;
  requireApplicableProposal(await tuning.read(), id, policy.tuning_level, word.by);
  const known = await loadTuningEvidence(context);
  let said: string | null = null;
  const next = await tuning.update((state) => {
    const proposal = requireApplicableProposal(state, id, policy.tuning_level, word.by);
    const test = testProposal(proposal, state, known, context);
    if ('running' in test) {
      if (proposal.status === 'trial')
        throw new Refusal('conflict', `the trial of ${id} is not over: ${test.running}`);
      return applyTestedProposal(state, id, null, policy.tuning_level, { ...word, now });
    }
    said = test.passed ? null : `proposal ${id} is refused: ${test.reason}`;
    return applyTestedProposal(state, id, test, policy.tuning_level, { ...word, now });
  });
  if (said !== null) throw new Refusal('conflict', said);
  return next;
}

export const revertProposal = (
  id: string,
  word: Omit<ProposalCommandContext, 'now'>,
  { tuning, now }: Pick<SettingTuningContext, 'tuning' | 'now'>,
): Promise<TuningState> => tuning.update((state) => revertActiveProposal(state, id, { ...word, now }));

/** What the deployment did by itself; null: it is not time, or its level has a person do all. */
export interface AutomaticTuningResult {
  readonly proposed: number;
  readonly applied: readonly string[];
  /** `<proposal>: <why>`. */
  readonly refused: readonly string[];
}

/** Once a day: proposes what the records suggest, and applies what its level lets apply itself and whose test holds. */
export async function runAutomaticTuning(
  context: SettingTuningContext,
): Promise<AutomaticTuningResult | null> {
  const { tuning, policy, now } = context;
  if (policy.tuning_level === 'L0') return null;
  const before = await tuning.read();
  if (before.last_run_at && Date.parse(before.last_run_at) + EVERY_MS > now.getTime()) return null;
  // Said first: who is cut off in it waits for the next day, and does not begin anew each minute.
  await tuning.update((state) => ({ ...state, last_run_at: now.toISOString() }));
  const word = { by: AUTOMATIC_TUNING_ACTOR, reason: 'its test holds' };
  const state = await proposeSettingChanges(undefined, word, context);
  const applied: string[] = [];
  const refused: string[] = [];
  const open = state.proposals.filter(({ status }) => status === 'proposed' || status === 'trial');
  for (const { id, change: setting, level, status } of open.sort(
    (a, b) => rankTuningLevel(a.level) - rankTuningLevel(b.level),
  )) {
    if (proposalRefusalReason(setting, policy.tuning_level, AUTOMATIC_TUNING_ACTOR)) continue;
    if (
      status === 'proposed' &&
      findTuningCooldownReason(await tuning.read(), requiredTuningLevel(setting), now)
    )
      continue;
    try {
      await applyProposal(id, word, context);
      applied.push(id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push(`${id} (${level}): ${error.message}`);
    }
  }
  return { proposed: state.next_number - before.next_number, applied, refused };
}
