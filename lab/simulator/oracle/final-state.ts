import { computeCommitId } from '../../../shared/contract/repository/git-commit.ts';
import { TABLE_ITEM_KEY_PREFIXES } from '../../../shared/contract/resource-names.ts';
import { buildDeliveryCommitFields } from '../../../shared/contract/task/delivery-commit.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import type { Simulation } from '../simulation.ts';
import { checkDecisions } from './approvals.ts';
import { listStoredTasks, waitingReason } from './stuck-tasks.ts';

/** Looks at everything when all has come to rest. */
export function checkFinalState(of: Simulation): void {
  const { cloud, knowledge, remote, world } = of;
  const all = new Map(listStoredTasks(of).map((task) => [task.id, task]));
  for (const id of knowledge.accepted)
    if (!all.has(id)) world.reportViolation('no task is lost', `${id} was accepted and is not there`);
  for (const task of all.values()) {
    checkDelivered(of, task);
    checkRefused(of, task);
    checkFixUp(of, task, all);
    if (waitingReason(task, all) === null)
      world.reportViolation(
        'no task is lost',
        `${task.id} is ${task.status}${task.waits_for ? `, waits for ${task.waits_for}` : ''}, and nothing moves it`,
      );
  }
  checkDecisions(of, all);
  for (const each of knowledge.acceptedReports) {
    const [id = '', attempt] = each.split('/');
    if (!all.get(id)?.attempts[Number(attempt) - 1]?.report)
      world.reportViolation('an accepted report stays', `${each} was answered with success`);
  }
  for (const id of knowledge.cancelled)
    if (all.get(id)?.status !== 'cancelled')
      world.reportViolation('an accepted cancellation stays', `${id} is ${all.get(id)?.status ?? 'gone'}`);
  for (const [branch, pushed] of remote.branches) {
    const task = all.get(branch.replace('assay/', ''));
    if (task?.status === 'cancelled')
      world.reportViolation(
        'nothing cancelled is delivered',
        `${task.id} was pushed as ${pushed.tree.slice(0, 8)}`,
      );
  }
  for (const item of cloud.table.items())
    if (String(item['pk']).startsWith(TABLE_ITEM_KEY_PREFIXES.container) && item['used'] !== 0)
      world.reportViolation(
        'no room is kept for nothing',
        `${item['used']} of ${item['pk']} are taken, and nothing runs`,
      );
  if (cloud.stateMachines.running > 0)
    world.reportViolation('every execution ends', `${cloud.stateMachines.running} still run`);
}

/** Work that our gates have passed goes out, unless it changes nothing or a remote does not take it. */
function checkDelivered(of: Simulation, task: Task): void {
  const attempt = task.attempts.at(-1);
  if (task.status !== 'done' || attempt?.verdict?.verdict !== 'pass' || !attempt.verdict.verified) return;
  if (attempt.artifact?.patch_bytes !== 0 && task.delivery?.state !== 'delivered')
    of.world.reportViolation(
      'passed work is delivered',
      `${task.id} is done, verified, and ${task.delivery?.state ?? 'not delivered'}`,
    );
}

/** What says that it has a fix-up has exactly that one, and a piece of work no more than were asked for. */
function checkFixUp(of: Simulation, task: Task, all: ReadonlyMap<string, Task>): void {
  const broken = (message: string): void => of.world.reportViolation('each fix-up is made once', message);
  const fixes = [...all.values()].filter(({ fix_up_of: mends }) => mends?.task_id === task.id);
  const named = task.superseded_by === undefined ? [] : [task.superseded_by];
  if (fixes.map(({ id }) => id).join() !== named.join())
    broken(
      `${task.id} names ${named.join() || 'none'}, and there are ${fixes.map(({ id }) => id).join() || 'none'}`,
    );
  if (named.length > 0 && task.status !== 'failed') broken(`${task.id} is ${task.status} and has one`);
  const line = [...all.values()].filter(({ fix_up_of: mends }) => mends?.root_task_id === task.id);
  const most = of.knowledge.plans.get(task.id)?.fixUps;
  if (most !== undefined && line.length > most)
    of.world.reportViolation('fix-ups within the limit', `${task.id} has ${line.length} of ${most}`);
}

/** The outcome of a push is known as long as the repository answers, whoever was lost over it. */
function checkRefused(of: Simulation, task: Task): void {
  const attempt = task.attempts.at(-1);
  if (!attempt || task.delivery?.state !== 'refused') return;
  const { base_commit: parent, branch, reason, tree } = task.delivery;
  const there = of.remote.branches.get(branch ?? '')?.commit;
  if (there === computeCommitId({ tree, parent, ...buildDeliveryCommitFields(task, attempt) }))
    of.world.reportViolation('what was pushed is called delivered', `${task.id}: ${reason}`);
  if (reason?.includes('not known'))
    of.world.reportViolation('the outcome of a push is known', `${task.id}: ${reason}`);
}
