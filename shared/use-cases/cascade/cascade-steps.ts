import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import type { TierModels } from '../../contract/agents/tiers.ts';
import type { CascadeStepResult } from '../../contract/messages/step-messages.ts';
import type { ProviderName } from '../../contract/models/protocols.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { AttemptRouteDecision } from '../../contract/task/attempt.ts';
import type { ReviewHoldLimit } from '../../contract/task/hold-limit.ts';
import type { Task } from '../../contract/task/task.ts';
import { decideNextCascadeAction } from '../../control/cascade/decide-after-attempt.ts';
import type { TierAdviceInputs } from '../../control/cascade/learning/advise-tier.ts';
import type { TierPolicySettings } from '../../control/cascade/learning/cascade-policy.ts';
import {
  isModelChosenByCommand,
  selectAttemptWithoutModel,
  selectNextAttemptModel,
} from '../../control/cascade/model-selection.ts';
import {
  filterBlockingCooldowns,
  PROBE_SECONDS,
  type ProviderCooldown,
} from '../../control/cascade/provider-cooldown.ts';
import { selectFallbackAgent } from '../../control/cascade/provider-fallback.ts';
import { findAttemptProvider } from '../../control/cascade/provider-observation.ts';
import { classifyAttemptFailure } from '../../control/failures/attempt-failure.ts';
import { retryNotBefore } from '../../control/failures/retry-backoff.ts';
import { recordJudgingReservation, reserveAttempt } from '../../control/spending/attempt-reservation.ts';
import type { AvailableAgentClis } from '../../control/task-commands/adapter-problems.ts';
import { type CascadeStage, determineCascadeStage } from '../../control/task-commands/cascade-stage.ts';
import { buildCascadeStepResult } from '../../control/task-commands/execution-start.ts';
import { finishTaskAfterCascade } from '../../control/task-commands/finish-task.ts';
import { failOutOfBudget, failTaskByOperator } from '../../control/task-commands/operator-commands.ts';
import { parkTaskForFiles } from '../../control/task-commands/park-task.ts';
import { recordCascadeDecision } from '../../control/task-commands/record-cascade-decision.ts';
import { findRedeliverableAttempt, startRedelivery } from '../../control/task-commands/redeliver.ts';
import { startAttempt, startPullRequestAttempt } from '../../control/task-commands/start-attempt.ts';
import { applyTuningToCascadePolicy, tunedFirstTier } from '../../control/tune/active-changes.ts';
import { EMPTY_TUNING_STATE } from '../../control/tune/proposals.ts';
import type { FileLockStore } from '../../store/file-locks.ts';
import type { ModelSpendStore } from '../../store/model-spend.ts';
import type { ProviderCooldownStore } from '../../store/provider-cooldowns.ts';
import type { RoleLearningStore } from '../../store/role-learning.ts';
import type { TaskStore } from '../../store/task-store.ts';
import type { SettingTuningStore } from '../../store/tuning-state.ts';
import { createPlannedTasks } from '../submit/plans.ts';
import { type DeferredRetryContext, deferCascadeStepRetry } from './deferred-retry.ts';
import { countFoundationDependents } from './foundation-dependents.ts';

/** Seconds that a managed attempt may wait for its box; SQS keeps a message for days, but a day without room is an outage. */
const QUEUE_SECONDS = 86_400;

/** Longest wait in milliseconds of a task whose own attempt has met the end of a provider's capacity. */
const LONGEST_WAIT_MS = 3_600_000;
/** A task that waits for the end of a pause looks again after so many milliseconds: a success or an operator may end it earlier. */
const COOLDOWN_CHECK_MS = 300_000;

export interface CascadeContext extends DeferredRetryContext {
  readonly tasks: TaskStore;
  readonly locks: FileLockStore;
  readonly models: TierModels;
  /** What else may do a task whose provider is down; absent: nothing. */
  readonly agents?: AvailableAgentClis;
  /** Cooldowns of providers; absent: none are kept. */
  readonly providers?: Pick<ProviderCooldownStore, 'listCooldowns' | 'claimProbe'>;
  /** How long a person has to decide; absent: the default. */
  readonly holdLimit?: ReviewHoldLimit;
  /** What is learned of models; absent: the routing table alone chooses. */
  readonly learning?: {
    readonly beliefs: Pick<RoleLearningStore, 'readRole'>;
    readonly spend: Pick<ModelSpendStore, 'reserve' | 'findReservations' | 'openJudgingReservation'>;
    readonly policy: TierPolicySettings;
    /** What the deployment has changed of its own settings; absent: nothing. */
    readonly tuning?: Pick<SettingTuningStore, 'read'>;
  };
  readonly now: Date;
  /** Is the step tried again by the same execution, which has heard of no end of it? */
  readonly isRetry?: boolean;
  /** May the execution that asks wait by itself? Absent: it may. */
  readonly canWait?: boolean;
}

/**
 * The task does not stand where a step expects it: whoever has moved it has made follow what must, and the execution ends. A step that is
 * tried again may have moved it itself, and nobody heard of that: it goes on from there.
 */
export const stageMismatchResult = (
  task: Task,
  run: number,
  expected: CascadeStage,
  { isRetry = false }: Pick<CascadeContext, 'isRetry'>,
): CascadeStepResult => {
  const stage = determineCascadeStage(task, run);
  const isAtRest = stage === 'ended' || stage === 'held' || stage === 'waiting';
  return buildCascadeStepResult(task, isAtRest || (isRetry && stage !== expected) ? stage : 'superseded');
};
export const taskNotFoundResult = (): CascadeStepResult => ({
  stage: 'ended',
  attempt: 0,
  priority: 2,
  submitter: 'nobody',
});

/**
 * Applies `command` only while the task stands where the step expects it. So a step that is repeated, comes late, or belongs to a superseded
 * run changes nothing, and of two executions that do the same the one goes on whose write it was: the other one ends.
 */
export async function applyCascadeStepCommand(
  of: string | Task,
  run: number,
  expected: CascadeStage,
  command: Parameters<TaskStore['applyCommand']>[1],
  context: Pick<CascadeContext, 'tasks' | 'isRetry'>,
): Promise<CascadeStepResult> {
  const present = typeof of === 'string' ? await context.tasks.get(of) : of;
  if (!present) return taskNotFoundResult();
  const { task, changed } = await context.tasks.apply(present, (each) =>
    determineCascadeStage(each, run) === expected ? command(each) : null,
  );
  return changed
    ? buildCascadeStepResult(task, determineCascadeStage(task, run))
    : stageMismatchResult(task, run, expected, context);
}

/** What is known for choosing the task's model; null: this deployment learns nothing. */
async function loadLearnedState(
  task: Task,
  { learning, now }: CascadeContext,
): Promise<TierAdviceInputs | null> {
  if (!learning) return null;
  const [memory, settings] = await Promise.all([
    learning.beliefs.readRole(task.role),
    learning.tuning?.read() ?? EMPTY_TUNING_STATE,
  ]);
  return {
    policy: applyTuningToCascadePolicy(learning.policy, settings),
    memory,
    priced_at: now.toISOString(),
    tuned_first_tier: tunedFirstTier(settings, task),
  };
}

/** Lists the cooldowns that keep a task from starting now. */
const blockingCooldowns = async (
  { id }: Task,
  { providers, now }: CascadeContext,
): Promise<ProviderCooldown[]> =>
  providers ? filterBlockingCooldowns(await providers.listCooldowns(), id, now) : [];

/** Whose models the next attempt would call, where nothing else is chosen. */
function nextProvider(
  task: Task,
  home: boolean,
  { defaultAdapter }: AvailableAgentClis,
): ProviderName | null {
  const last = task.attempts.at(-1) ?? null;
  const isNew =
    !last ||
    last.number < task.first_budgeted_attempt ||
    (home && last.route.provider_fallback !== undefined);
  return task.runner === 'managed' ? findAttemptProvider(task, isNew ? null : last, defaultAdapter) : null;
}

type Fallback = NonNullable<AttemptRouteDecision['provider_fallback']>;
const fallbackRoute = (
  { provider: from, reason: because, until }: ProviderCooldown,
  to: AgentCliKind,
): Fallback => ({
  from,
  to,
  reason: because,
  until,
});

/** The way to another provider that a decision has named, which all others may not have heard of yet; null: it has named none. */
function fallbackAfterQuota(task: Task, agents: AvailableAgentClis | undefined, now: Date): Fallback | null {
  const last = task.attempts.at(-1);
  const to = last?.decision?.next_adapter;
  if (!last || !to || last.decision?.strategy || last.number < task.first_budgeted_attempt) return null;
  const from = agents && findAttemptProvider(task, last, agents.defaultAdapter);
  return from
    ? { from, to, reason: classifyAttemptFailure(last)?.class ?? 'unknown', until: now.toISOString() }
    : null;
}

/** Starts the next attempt on the model that the cascade chooses, or says where the task stands. */
export async function runSelectModelStep(
  id: string,
  run: number,
  context: CascadeContext,
): Promise<CascadeStepResult> {
  const present = await context.tasks.get(id);
  if (!present) return taskNotFoundResult();
  if (determineCascadeStage(present, run) !== 'select_model')
    return stageMismatchResult(present, run, 'select_model', context);
  if (present.runner === 'pull_request')
    return applyCascadeStepCommand(
      present,
      run,
      'select_model',
      (task) => startPullRequestAttempt(task, QUEUE_SECONDS, context.now),
      context,
    );
  const { agents } = context;
  const cooling = await blockingCooldowns(present, context);
  const other = (of: Task) =>
    agents
      ? selectFallbackAgent(
          of,
          agents,
          cooling.map(({ provider }) => provider),
        )
      : null;
  const home =
    agents &&
    cooling.every(({ provider }) => provider !== findAttemptProvider(present, null, agents.defaultAdapter));
  const cold =
    agents && cooling.find(({ provider }) => provider === nextProvider(present, home === true, agents));
  const now = context.now.getTime();
  const waitMs = Math.max(
    Math.min(LONGEST_WAIT_MS, (retryNotBefore(present)?.getTime() ?? 0) - now),
    Math.min(COOLDOWN_CHECK_MS, (cold ? Date.parse(cold.until) : 0) - now),
  );
  const judged = findRedeliverableAttempt(present);
  const wait = judged || other(present) ? 0 : Math.ceil(waitMs / 1_000);
  if (wait > 0)
    return deferCascadeStepRetry(
      present,
      { seconds: wait, mayWait: context.canWait !== false },
      context.now,
      context,
    );
  const fallbackCli = other(present);
  const provider = fallbackCli
    ? AGENT_CLI_MANIFESTS[fallbackCli].vendor
    : agents && nextProvider(present, home === true, agents);
  if (!judged && provider && (await context.providers?.claimProbe(provider, id, context.now)) === false)
    return deferCascadeStepRetry(
      present,
      { seconds: PROBE_SECONDS, mayWait: context.canWait !== false },
      context.now,
      context,
    );
  const conflict = await context.locks.acquire(present, context.now);
  if (conflict !== null)
    return applyCascadeStepCommand(
      present,
      run,
      'select_model',
      (task) => parkTaskForFiles(task, conflict, context.now),
      context,
    );
  if (judged)
    return applyCascadeStepCommand(
      present,
      run,
      'select_model',
      (task) => {
        const of = findRedeliverableAttempt(task);
        return of && startRedelivery(task, of, context.now);
      },
      context,
    );
  const learned = await loadLearnedState(present, context);
  const dependents = await countFoundationDependents(present, context.tasks);
  const selected = (task: Task) => {
    const kind = other(task);
    const isModelless = kind === null && isModelChosenByCommand(task, agents?.defaultAdapter);
    const chosen = selectNextAttemptModel(task, context.models, kind, isModelless ? null : learned, home);
    const selection = {
      ...chosen,
      ...{ model: chosen.rung.model, tier: chosen.rung.tier },
      ...(isModelless && { ...selectAttemptWithoutModel(task), model: null, tier: null }),
    };
    const fallback = kind && cold ? fallbackRoute(cold, kind) : fallbackAfterQuota(task, agents, context.now);
    return fallback
      ? { ...selection, route: { ...selection.route, provider_fallback: fallback } }
      : selection;
  };
  const budget =
    learned && context.learning
      ? await reserveAttempt(present, selected(present), learned, context.learning.spend, context.now)
      : {};
  if ('refused' in budget) {
    // Nothing of this round was started: who waits for the files need not.
    await context.locks.release(present);
    return applyCascadeStepCommand(
      present,
      run,
      'select_model',
      (task) => failOutOfBudget(task, budget.refused, context.now),
      context,
    );
  }
  return applyCascadeStepCommand(
    present,
    run,
    'select_model',
    (task) => {
      const { model, tier, effort, route, adapter } = selected(task);
      return startAttempt(task, {
        model,
        tier,
        effort,
        route,
        adapter,
        reservation: budget.reserved,
        dependentCount: dependents,
        leaseHolder: 'managed',
        leaseSeconds: QUEUE_SECONDS,
        agentLaunch: null,
        now: context.now,
      });
    },
    context,
  );
}

/** Decides what follows from the attempt: a pure decision, written down once. */
export async function runDecideStep(
  id: string,
  run: number,
  context: CascadeContext,
): Promise<CascadeStepResult> {
  const present = await context.tasks.get(id);
  if (!present) return taskNotFoundResult();
  const counted =
    determineCascadeStage(present, run) === 'decide' ? await recordJudgingReservation(present, context) : {};
  return applyCascadeStepCommand(
    present,
    run,
    'decide',
    (task) =>
      recordCascadeDecision(
        task,
        task.attempts.at(-1)?.number ?? 0,
        decideNextCascadeAction(task, context.models, context.agents),
        context.now,
        context.holdLimit,
        counted,
      ),
    context,
  );
}

/** Ends the task. The tasks of an approved plan are made before it is done, so that a step that is cut off is done again. */
export async function runFinishTaskStep(
  id: string,
  run: number,
  context: CascadeContext,
): Promise<CascadeStepResult> {
  const plan = await context.tasks.get(id);
  if (
    plan?.plan &&
    determineCascadeStage(plan, run) === 'settle' &&
    plan.attempts.at(-1)?.decision?.action === 'accept'
  )
    try {
      await createPlannedTasks(plan, context.tasks, context.now);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return applyCascadeStepCommand(
        plan,
        run,
        'settle',
        (task) => failTaskByOperator(task, error.message, 'assay', context.now),
        context,
      );
    }
  return applyCascadeStepCommand(
    id,
    run,
    'settle',
    (task) => finishTaskAfterCascade(task, context.now),
    context,
  );
}
