import type * as z from 'zod';
import type { AgentCliKind } from '../../contract/agents/adapter-manifests.ts';
import type { ReasoningEffortLevel } from '../../contract/agents/effort.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { Attempt, AttemptRouteDecision, ContainerLaunch } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { requireBaseCommit } from './base-commit.ts';
import { applyTaskEvent, type TaskChange, toEpochSeconds, toIsoTime } from './task-change.ts';

export interface NewAttemptFields {
  readonly model: string | null;
  readonly tier: string | null;
  readonly effort: z.infer<typeof ReasoningEffortLevel>;
  readonly route: AttemptRouteDecision;
  /** Another agent than the task's or the deployment's. */
  readonly adapter?: AgentCliKind | null;
  /** Set aside for it of the budgets. */
  readonly reservation?: Attempt['reservation'];
  readonly leaseHolder: string;
  readonly leaseSeconds: number;
  /** Set for an external agent, which gets its token with the claim; the dispatcher launches the others. */
  readonly agentLaunch: ContainerLaunch | null;
  /** So many tasks wait for it, where they are enough to make it a foundation. */
  readonly dependentCount?: number | null;
  readonly now: Date;
}

const buildAttempt = (task: Task, facts: NewAttemptFields): Attempt => ({
  number: (task.attempts.at(-1)?.number ?? 0) + 1,
  model: facts.model,
  tier: facts.tier,
  effort: facts.effort,
  route: facts.route,
  ...(facts.adapter && { adapter: facts.adapter }),
  ...(facts.reservation && { reservation: facts.reservation }),
  outcome: null,
  started_at: toIsoTime(facts.now),
  ended_at: null,
  lease_holder: facts.leaseHolder,
  lease_until: toEpochSeconds(facts.now) + facts.leaseSeconds,
  progress: null,
  usage: null,
  cost_usd: null,
  reported_usage: null,
  metered_usage: null,
  report: null,
  artifact: null,
  verification: null,
  verification_failure: null,
  verdict: null,
  decision: null,
  agent: facts.agentLaunch,
  gates: null,
  deliver: null,
});

/** Starts the next attempt: of an open task (claim), or of one in review whose last attempt was not accepted (reattempt). */
export function startAttempt(task: Task, facts: NewAttemptFields): TaskChange {
  if (task.status === 'open' && task.waits_for !== null && task.runner === 'external')
    throw new Refusal('files_locked', `task ${task.id} waits for ${task.waits_for}`);
  // Whoever works on it must not be the one who says what it is judged against.
  requireBaseCommit(task);
  for (const { evaluator_agent: evaluator } of task.resolved_workflow?.verifications ?? [])
    if (task.runner === 'external' && evaluator === facts.leaseHolder)
      throw new Refusal(
        'self_review',
        `${facts.leaseHolder} grades the work of task ${task.id} in its workflow; nobody judges their own`,
      );
  const event = task.status === 'in_review' ? 'reattempt' : 'claim';
  return applyTaskEvent(task, event, facts.now, {
    attempts: [...task.attempts, buildAttempt(task, facts)],
    ...(facts.dependentCount &&
      !task.foundation && {
        foundation: { dependents: facts.dependentCount, since: toIsoTime(facts.now) },
      }),
    ...(task.plan && { plan: { ...task.plan, proposal: null } }),
    waits_for: null,
    blocked_reason: null,
    hold: null,
    review: null,
    delivery: null,
  });
}

/** Starts an attempt without an agent: a container puts the head of a pull request onto the base, and that is judged. */
export const startPullRequestAttempt = (task: Task, leaseSeconds: number, now: Date): TaskChange =>
  startAttempt(task, {
    model: null,
    tier: null,
    effort: 'medium',
    route: {
      rule: 'pull_request',
      reason: `pull request ${task.pull_request?.number} by ${task.pull_request?.author}`,
    },
    leaseHolder: 'managed',
    leaseSeconds,
    agentLaunch: null,
    now,
  });
