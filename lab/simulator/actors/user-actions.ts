import { OracleKnowledge } from '../oracle/knowledge.ts';
import { SIMULATED_REPOSITORY_URL } from '../simulated-remote.ts';
import type { Simulation } from '../simulation.ts';
import type { ActionPlan, TaskPlan } from '../simulation-plan.ts';
import { performJob } from './agent.ts';
import { ApiRefusedError, callRoute } from './api-client.ts';
import { scheduleDecisions } from './decisions.ts';

const ROLE = 'backend';
/** More than the API takes as one description, several times over: as large as a task may get. */
const LARGE = 90_000;

const submission = (of: Simulation, plan: TaskPlan, index: number): Record<string, unknown> => ({
  title: `task ${index}`,
  role: ROLE,
  repository: SIMULATED_REPOSITORY_URL,
  runner: plan.runner,
  priority: plan.priority,
  files: plan.files,
  depends_on: plan.dependsOn.flatMap((each) => of.knowledge.acceptedIds.get(each) ?? []),
  budget: {
    max_attempts: plan.maxAttempts,
    ...(plan.maxCost === null ? {} : { max_cost_usd: plan.maxCost }),
  },
  max_retries: plan.maxRetries,
  deliver_unverified: plan.deliverUnverified,
  ...(plan.model === null ? {} : { model: plan.model }),
  max_fix_ups: plan.fixUps,
  challenge: plan.challenge,
  ...(plan.asksModel
    ? { completion_signals: [{ type: 'llm_review', instructions: 'Is it well done?' }] }
    : {}),
  partial_dependencies: plan.dependencyPolicy,
  ...(plan.queued ? { delivery: 'merge_queue' } : {}),
  ...(plan.large ? { description: 'x'.repeat(LARGE) } : {}),
});

/** Asks for a task, and sends the same once more where the plan says so: it must be the same request. */
async function request(of: Simulation, plan: TaskPlan, index: number): Promise<void> {
  const body = {
    ...submission(of, plan, index),
    acceptance_criteria: ['sum(2, 3) is 5'],
    strategy: plan.requestMode,
  };
  of.world.logEvent(() => `an operator asks for task ${index} (${plan.requestMode})`);
  const headers = { 'idempotency-key': `request ${index}` };
  const send = async (): Promise<string | null> => {
    const answer = await callRoute(of, 'submitRequest', { token: of.operatorToken, body, headers }).catch(
      (error: unknown) => {
        of.world.logEvent(() => `asking for task ${index}: ${String(error)}`);
        return null;
      },
    );
    return answer && String(answer.body['id']);
  };
  const first = await send();
  if (first !== null) scheduleDecisions(of, plan.requestDecisions, first);
  if (plan.resubmittedAfter === null) return;
  await of.world.clock.sleep(plan.resubmittedAfter * 1_000);
  const second = await send();
  if (first !== null && second !== null && first !== second)
    of.world.reportViolation('a repeated request has the same answer', `${first} and ${second}`);
}

/** Submits a task under its own id, until there is an answer; a repeat must find the same task. */
export async function submitPlannedTask(of: Simulation, plan: TaskPlan, index: number): Promise<void> {
  if (plan.requestMode !== null) return request(of, plan, index);
  const id = `T${index}`;
  const body = { id, ...submission(of, plan, index) };
  of.knowledge.plans.set(id, plan);
  of.knowledge.acceptedIds.set(index, id);
  of.knowledge.submittedAt.set(id, of.world.clock.now);
  if (plan.pushRefused) of.remote.refusedTasks.add(`assay/${id}`);
  of.world.logEvent(
    () =>
      `an operator submits ${id} (${plan.runner}${plan.dependsOn.length > 0 ? `, after ${String(body['depends_on' as never])}` : ''})`,
  );
  const send = (): Promise<unknown> =>
    callRoute(of, 'submitTask', {
      token: of.operatorToken,
      body,
      headers: { 'idempotency-key': `key ${index}` },
    }).then(
      () => of.knowledge.accepted.add(id),
      (error: unknown) => {
        if (!(error instanceof ApiRefusedError)) return;
        of.world.logEvent(() => `submitting ${id}: ${error.message}`);
        // What it depends on was never accepted.
        if (error.answer.body['code'] !== 'dependency_unknown')
          of.world.reportViolation('a repeated request has the same answer', `${id}: ${error.message}`);
      },
    );
  await send();
  if (plan.resubmittedAfter === null) return;
  await of.world.clock.sleep(plan.resubmittedAfter * 1_000);
  await send();
}

/** An outside agent works on what it has claimed. */
async function workOutside(of: Simulation, claim: Readonly<Record<string, unknown>>): Promise<void> {
  const task = (claim['task'] as { id: string }).id;
  const attempt = Number(claim['attempt']);
  const token = String(claim['token']);
  const plan = of.knowledge.planOf(task);
  const works = plan?.attempts ?? [];
  const scripted = works[Math.min(attempt, works.length) - 1];
  if (!scripted) return;
  of.knowledge.agentTokens.set(task, [...(of.knowledge.agentTokens.get(task) ?? []), token]);
  of.world.logEvent(() => `an outside agent has claimed ${task}/${attempt}`);
  const known = (claim['task'] as { base_commit?: string | null }).base_commit;
  const job = {
    task,
    attempt,
    token,
    base: known ?? of.remote.main,
    heartbeatSeconds: Number(claim['heartbeat_s']),
    isExternal: true,
  };
  await performJob(of, job, scripted);
}

let claims = 0;
export async function claimAsOutsideAgent(of: Simulation, id: string | null): Promise<void> {
  const headers = { 'idempotency-key': `claim ${++claims}` };
  const answer =
    id === null
      ? await callRoute(of, 'nextTask', { token: of.operatorToken, role: ROLE, headers })
      : await callRoute(of, 'claimTask', { token: of.operatorToken, id, body: {}, headers });
  await workOutside(of, answer.body);
}

async function review(of: Simulation, id: string, decision: 'approve' | 'reject'): Promise<void> {
  const seen = await callRoute(of, 'getTask', { token: of.operatorToken, id });
  const attempts = await callRoute(of, 'listAttempts', { token: of.operatorToken, id });
  const last = (attempts.body['attempts'] as { artifact: { tree: string } | null }[]).at(-1);
  if (seen.body['hold'] === null || !last?.artifact) return;
  const { tree } = last.artifact;
  if (decision === 'approve') of.knowledge.approvedTrees.add(OracleKnowledge.pair(id, tree));
  of.world.logEvent(() => `a person says ${decision} to ${id}`);
  await callRoute(of, 'review', {
    token: of.operatorToken,
    id,
    body: { decision, reason: 'looked at it', tree },
  });
}

/** Does what the plan says, to the task of that position. */
export const performPlannedAction = (
  of: Simulation,
  { kind, task }: Pick<ActionPlan, 'kind' | 'task'>,
): Promise<void> =>
  performActionOnTask(
    of,
    kind,
    of.knowledge.acceptedIds.get(task % Math.max(1, of.knowledge.acceptedIds.size)) ?? 'T0',
  );

/** Does something to a task. A refusal is an answer like any other. */
export async function performActionOnTask(
  of: Simulation,
  kind: ActionPlan['kind'],
  id: string,
): Promise<void> {
  const token = of.operatorToken;
  of.world.logEvent(() => `an operator: ${kind} ${id}`);
  try {
    if (kind === 'claim_next' || kind === 'claim')
      await claimAsOutsideAgent(of, kind === 'claim' ? id : null);
    else if (kind === 'approve' || kind === 'reject') await review(of, id, kind);
    else if (kind === 'list') await callRoute(of, 'listTasks', { token });
    else if (kind === 'cancel' || kind === 'fail' || kind === 'retry') {
      await callRoute(of, kind, { token, id, body: { reason: 'says so' } });
      if (kind === 'cancel') of.knowledge.cancelled.add(id);
    }
  } catch (error) {
    of.world.logEvent(() => `that (${kind} ${id}) ends with: ${String(error)}`);
  }
}
