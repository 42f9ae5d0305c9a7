import { TABLE_ITEM_KEY_PREFIXES } from '../../../shared/contract/resource-names.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import type { TableWrite } from '../engines/simulated-table.ts';
import type { Simulation } from '../simulation.ts';
import { APPROVAL_ACTIONS, type ApprovalAction } from '../simulation-plan.ts';

/** The people of a run. Nobody else may allow what is of high risk. */
const PEOPLE: readonly string[] = ['operator', 'reviewer'];

/** Leave that agents ask for: who may give it, and that a word stays. The risks are written down in the plan, not read from the code. */
export function checkApprovalWrite(of: Simulation, before: Task | null, after: Task): void {
  const { world } = of;
  for (const is of after.approvals ?? []) {
    const was = before?.approvals?.find(({ number }) => number === is.number);
    const name = `${after.id}/${is.number}`;
    const by = is.decided_by ?? '';
    if (was && was.status !== 'pending' && (was.status !== is.status || was.decided_by !== is.decided_by))
      world.reportViolation('a word on an approval stays', `${name} was ${was.status}, and is ${is.status}`);
    if (is.status !== 'pending' && is.status !== was?.status) {
      const holder = after.attempts.find(({ number }) => number === is.attempt)?.lease_holder;
      if (by === holder) world.reportViolation('nobody allows their own work', `${name}: ${by}`);
    }
    if (
      is.status === 'approved' &&
      APPROVAL_ACTIONS[is.action as ApprovalAction] === 'person' &&
      !PEOPLE.includes(by)
    )
      world.reportViolation('a person allows what is of high risk', `${name} (${is.action}) by ${by}`);
  }
  const pending = (after.approvals ?? []).filter(({ status }) => status === 'pending').length;
  if (
    pending !== (after.status === 'auth_required' ? 1 : 0) &&
    !['failed', 'cancelled', 'open'].includes(after.status)
  )
    world.reportViolation(
      'who waits for leave has asked',
      `${after.id} is ${after.status} and waits for ${pending}`,
    );
}

/** What may follow in the life of a request. Written down here a second time on purpose. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  submitted: ['scoping', 'approved', 'cancelled'],
  scoping: ['approved', 'cancelled'],
  approved: ['task_created', 'cancelled'],
  task_created: [],
  cancelled: [],
};

export const isRequestKey = (key: Readonly<Record<string, unknown>>): boolean => key['sk'] === 'request';
const requestsOf = (of: Simulation): Readonly<Record<string, unknown>>[] =>
  of.cloud.table.items().filter((item) => String(item['pk']).startsWith(TABLE_ITEM_KEY_PREFIXES.request));

/** Looks at each write of a request at the moment at which it happens. */
export function checkRequestWrite(of: Simulation, { before, after }: TableWrite): void {
  if (!after) return;
  const id = String(after['id']);
  const [was, is] = [before?.['status'], after['status']].map(String) as [string, string];
  of.world.logEvent(() => `request ${id} is ${is}${before ? ` (was ${was})` : ''}`);
  if (!before) {
    // Its answer may be lost, and its task there before it.
    const index = Number(String((after['requested_task'] as { title: string }).title).split(' ')[1]);
    const plan = of.plan.tasks[index];
    if (plan) of.knowledge.plans.set(id, plan);
    of.knowledge.acceptedIds.set(index, id);
    return;
  }
  if (was !== is && !MOVES[was]?.includes(is))
    of.world.reportViolation('a request moves as it may', `${id}: ${was} to ${is}`);
  if (was !== is && Number(after['version']) !== Number(before['version']) + 1)
    of.world.reportViolation(
      'a request moves as it may',
      `${id}: version ${after['version']} after ${before['version']}`,
    );
}

/** Requests that nothing will move although something should. */
export const findStuckRequests = (of: Simulation): string[] =>
  requestsOf(of).flatMap(({ id, status }) => (status === 'approved' ? [String(id)] : []));

/** All words that were answered with success, when all has come to rest. */
export function checkDecisions(of: Simulation, all: ReadonlyMap<string, Task>): void {
  const { knowledge, world } = of;
  for (const [name, word] of knowledge.approvalDecisions) {
    const [id = '', number] = name.split('/');
    const is = all.get(id)?.approvals?.find((each) => each.number === Number(number))?.status;
    if (is !== word)
      world.reportViolation(
        'a word on an approval stays',
        `${name} was answered as ${word}, and is ${is ?? 'gone'}`,
      );
  }
  for (const request of requestsOf(of)) {
    const id = String(request['id']);
    const task = all.get(id);
    if (request['status'] === 'approved')
      world.reportViolation('no request is lost', `${id} is approved, and has no task`);
    if (request['status'] === 'task_created' && !task)
      world.reportViolation('no request is lost', `${id} has no task`);
    if (knowledge.rejectedRequests.has(id) && request['status'] !== 'cancelled')
      world.reportViolation('a reject wins', `${id} is ${String(request['status'])}`);
    if (request['status'] === 'cancelled' && task && !['cancelled', 'done', 'failed'].includes(task.status))
      world.reportViolation('a reject wins', `the task of ${id} is ${task.status}`);
    if (task && !knowledge.approvedRequests.has(id) && request['strategy'] !== 'direct')
      world.reportViolation('a task of a request has a yes', id);
    const asked = (request['requested_task'] as { acceptance_criteria: string[] }).acceptance_criteria;
    if (task && task.acceptance_criteria.join() !== asked.join())
      world.reportViolation('what was asked for is carried on', id);
  }
}
