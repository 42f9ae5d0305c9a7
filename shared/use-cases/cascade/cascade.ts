import type { CliKind } from '../../contract/agents/adapter.ts';
import type { TierModels } from '../../contract/agents/tiers.ts';
import type { CascadeResult } from '../../contract/messages/queue.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { AttemptRoute } from '../../contract/task/attempt.ts';
import type { HoldLimit } from '../../contract/task/hold-limit.ts';
import type { Task } from '../../contract/task/task.ts';
import { type Cooling, coolingAt, providerOf } from '../../control/cascade/cooling.ts';
import { decide } from '../../control/cascade/decide.ts';
import { otherAgent } from '../../control/cascade/detour.ts';
import type { Learned } from '../../control/cascade/learning/advise.ts';
import type { CascadePolicy } from '../../control/cascade/learning/policy.ts';
import { select } from '../../control/cascade/select.ts';
import { notBefore } from '../../control/failures/later.ts';
import { failureOf } from '../../control/failures/of-attempt.ts';
import { judgingIsCounted, setAside } from '../../control/spending/launching.ts';
import type { Agents } from '../../control/task-commands/adapter-choice.ts';
import { startAttempt } from '../../control/task-commands/claim.ts';
import { recordDecision } from '../../control/task-commands/decide.ts';
import { failByOperator, outOfBudget } from '../../control/task-commands/operate.ts';
import { settle } from '../../control/task-commands/settle.ts';
import { type Stage, stageOf } from '../../control/task-commands/stage.ts';
import { standing } from '../../control/task-commands/start.ts';
import { waitForFiles } from '../../control/task-commands/wait.ts';
import { policyInForce, routeInForce } from '../../control/tune/in-force.ts';
import { NO_EVOLUTION } from '../../control/tune/schema.ts';
import type { BeliefStore } from '../../store/beliefs.ts';
import type { EvolutionStore } from '../../store/evolution.ts';
import type { LockStore } from '../../store/locks.ts';
import type { ProviderStore } from '../../store/providers.ts';
import type { SpendStore } from '../../store/spend.ts';
import type { TaskStore } from '../../store/tasks.ts';
import { createPlanned } from '../submit/plan.ts';
import { type LaterContext, later } from './later.ts';

/** Seconds that a managed attempt may wait for its box; SQS keeps a message for days, but a day without room is an outage. */
const QUEUE_SECONDS = 86_400;

/** Milliseconds after which a task that waits for a provider looks again. */
const LONGEST_WAIT_MS = 3_600_000;

export interface CascadeContext extends LaterContext {
  readonly tasks: TaskStore;
  readonly locks: LockStore;
  readonly models: TierModels;
  /** What else may do a task whose provider is down; absent: nothing. */
  readonly agents?: Agents;
  /** How providers fare, as all tasks have met them; absent: nobody keeps it. */
  readonly providers?: Pick<ProviderStore, 'coolings'>;
  /** How long a person has to decide; absent: the default. */
  readonly holds?: HoldLimit;
  /** What is learned of models; absent: the routing table alone chooses. */
  readonly learning?: {
    readonly beliefs: Pick<BeliefStore, 'read'>;
    readonly spend: Pick<SpendStore, 'reserve' | 'open' | 'openForJudging'>;
    readonly policy: CascadePolicy;
    /** What the deployment has changed of its own settings; absent: nothing. */
    readonly evolution?: Pick<EvolutionStore, 'settings'>;
  };
  readonly now: Date;
  /** Is the step tried again by the same execution, which has heard of no end of it? */
  readonly again?: boolean;
  /** May the execution that asks wait by itself? Absent: it may. */
  readonly mayWait?: boolean;
}

/**
 * The task does not stand where a step expects it: whoever has moved it has made follow what must, and the execution ends. A step that is
 * tried again may have moved it itself, and nobody heard of that: it goes on from there.
 */
export const elsewhere = (
  task: Task,
  run: number,
  expected: Stage,
  { again = false }: Pick<CascadeContext, 'again'>,
): CascadeResult => {
  const stage = stageOf(task, run);
  const isAtRest = stage === 'ended' || stage === 'held' || stage === 'waiting';
  return standing(task, isAtRest || (again && stage !== expected) ? stage : 'superseded');
};
export const gone = (): CascadeResult => ({ stage: 'ended', attempt: 0, priority: 2, submitter: 'nobody' });

/**
 * Applies `command` only while the task stands where the step expects it. So a step that is repeated, comes late, or belongs to a superseded
 * run changes nothing, and of two executions that do the same the one goes on whose write it was: the other one ends.
 */
export async function step(
  of: string | Task,
  run: number,
  expected: Stage,
  command: Parameters<TaskStore['change']>[1],
  context: Pick<CascadeContext, 'tasks' | 'again'>,
): Promise<CascadeResult> {
  const present = typeof of === 'string' ? await context.tasks.get(of) : of;
  if (!present) return gone();
  const { task, changed } = await context.tasks.apply(present, (each) =>
    stageOf(each, run) === expected ? command(each) : null,
  );
  return changed ? standing(task, stageOf(task, run)) : elsewhere(task, run, expected, context);
}

/** What is known for choosing the task's model; null: this deployment learns nothing. */
async function recall(task: Task, { learning, now }: CascadeContext): Promise<Learned | null> {
  if (!learning) return null;
  const [memory, settings] = await Promise.all([
    learning.beliefs.read(task.role),
    learning.evolution?.settings() ?? NO_EVOLUTION,
  ]);
  return {
    policy: policyInForce(learning.policy, settings),
    memory,
    at: now.toISOString(),
    begins: routeInForce(settings, task),
  };
}

/** So many tasks must wait for one to make it a foundation. */
const FOUNDATION = 3;
/** Of those that wait, so many are looked at: some may wait for its files alone. */
const LOOKED_AT = 20;

/** How many tasks wait for it, where they make it a foundation; null: they do not, or it is one already. */
async function foundationOf(
  { id, foundation }: Task,
  { tasks }: Pick<CascadeContext, 'tasks'>,
): Promise<number | null> {
  if (foundation) return null;
  const waiting = await tasks.firstWaiting(id, LOOKED_AT);
  if (waiting.length < FOUNDATION) return null;
  const dependents = [...(await tasks.getMany(waiting)).values()].filter(({ depends_on }) =>
    depends_on.includes(id),
  );
  return dependents.length >= FOUNDATION ? dependents.length : null;
}

/** Providers that nothing is begun with now. */
const coldNow = async ({ providers, now }: CascadeContext): Promise<Cooling[]> =>
  providers ? coolingAt(await providers.coolings(), now) : [];

/** Whose models the next attempt would call, where nothing else is chosen. */
function nextProvider(task: Task, home: boolean, { fallback }: Agents): string | null {
  const last = task.attempts.at(-1) ?? null;
  const isNew = !last || last.number < task.budget_from || (home && last.route?.fallback !== undefined);
  return task.runner === 'managed' ? providerOf(task, isNew ? null : last, fallback) : null;
}

type Fallback = NonNullable<AttemptRoute['fallback']>;
const away = ({ provider: from, because, until }: Cooling, to: CliKind): Fallback => ({
  from,
  to,
  because,
  until,
});

/** The way to another provider that a decision has named, which all others may not have heard of yet; null: it has named none. */
function afterSpent(task: Task, agents: Agents | undefined, now: Date): Fallback | null {
  const last = task.attempts.at(-1);
  const to = last?.decision?.next_adapter;
  if (!last || !to || last.decision?.strategy || last.number < task.budget_from) return null;
  const from = agents && providerOf(task, last, agents.fallback);
  return from ? { from, to, because: failureOf(last)?.class ?? 'unknown', until: now.toISOString() } : null;
}

/** Starts the next attempt on the model that the cascade chooses, or says where the task stands. */
export async function selectModel(id: string, run: number, context: CascadeContext): Promise<CascadeResult> {
  const present = await context.tasks.get(id);
  if (!present) return gone();
  if (stageOf(present, run) !== 'select_model') return elsewhere(present, run, 'select_model', context);
  const { agents } = context;
  const cooling = await coldNow(context);
  const other = (of: Task) =>
    agents
      ? otherAgent(
          of,
          agents,
          cooling.map(({ provider }) => provider),
        )
      : null;
  const home =
    agents && cooling.every(({ provider }) => provider !== providerOf(present, null, agents.fallback));
  const cold =
    agents && cooling.find(({ provider }) => provider === nextProvider(present, home === true, agents));
  const until = Math.max(notBefore(present)?.getTime() ?? 0, cold ? Date.parse(cold.until) : 0);
  const wait = other(present)
    ? 0
    : Math.ceil(Math.min(LONGEST_WAIT_MS, until - context.now.getTime()) / 1_000);
  if (wait > 0)
    return later(present, { seconds: wait, mayWait: context.mayWait !== false }, context.now, context);
  const conflict = await context.locks.acquire(present, context.now);
  if (conflict !== null)
    return step(present, run, 'select_model', (task) => waitForFiles(task, conflict, context.now), context);
  const learned = await recall(present, context);
  const dependents = await foundationOf(present, context);
  const selected = (task: Task) => {
    const kind = other(task);
    const selection = select(task, context.models, kind, learned, home);
    const fallback = kind && cold ? away(cold, kind) : afterSpent(task, agents, context.now);
    return fallback ? { ...selection, route: { ...selection.route, fallback } } : selection;
  };
  const budget =
    learned && context.learning
      ? await setAside(present, selected(present), learned, context.learning.spend, context.now)
      : {};
  if ('refused' in budget) {
    // Nothing of this round was started: who waits for the files need not.
    await context.locks.release(present);
    return step(
      present,
      run,
      'select_model',
      (task) => outOfBudget(task, budget.refused, context.now),
      context,
    );
  }
  return step(
    present,
    run,
    'select_model',
    (task) => {
      const { rung, effort, route, adapter } = selected(task);
      return startAttempt(task, {
        model: rung.model,
        tier: rung.tier,
        effort,
        route,
        adapter,
        reserved: budget.reserved,
        dependents,
        holder: 'managed',
        leaseSeconds: QUEUE_SECONDS,
        agent: null,
        now: context.now,
      });
    },
    context,
  );
}

/** Decides what follows from the attempt: a pure decision, written down once. */
export async function decideStep(id: string, run: number, context: CascadeContext): Promise<CascadeResult> {
  const present = await context.tasks.get(id);
  if (!present) return gone();
  const counted = stageOf(present, run) === 'decide' ? await judgingIsCounted(present, context) : {};
  return step(
    present,
    run,
    'decide',
    (task) =>
      recordDecision(
        task,
        task.attempts.at(-1)?.number ?? 0,
        decide(task, context.models, context.agents),
        context.now,
        context.holds,
        counted,
      ),
    context,
  );
}

/** Ends the task. The tasks of an approved plan are made before it is done, so that a step that is cut off is done again. */
export async function settleStep(id: string, run: number, context: CascadeContext): Promise<CascadeResult> {
  const plan = await context.tasks.get(id);
  if (plan?.plan && stageOf(plan, run) === 'settle' && plan.attempts.at(-1)?.decision?.action === 'accept')
    try {
      await createPlanned(plan, context.tasks, context.now);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return step(
        plan,
        run,
        'settle',
        (task) => failByOperator(task, error.message, 'assay', context.now),
        context,
      );
    }
  return step(id, run, 'settle', (task) => settle(task, context.now), context);
}
