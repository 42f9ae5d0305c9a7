import { TABLE_INDEXES, TABLE_ITEM_KEY_PREFIXES } from '../../../shared/contract/resource-names.ts';
import { findFileOverlap } from '../../../shared/contract/submission/file-overlap.ts';
import type { Attempt } from '../../../shared/contract/task/attempt.ts';
import type { TaskStatus } from '../../../shared/contract/task/status.ts';
import { findJudgedAttempt, type Task } from '../../../shared/contract/task/task.ts';
import type { TableWrite } from '../engines/simulated-table.ts';
import type { Simulation } from '../simulation.ts';
import { checkApprovalWrite, checkRequestWrite, isRequestKey } from './approvals.ts';
import { checkCapacityWrite } from './capacity.ts';
import { checkChallengeBudget, checkChallengedWork } from './challenges.ts';
import { OracleKnowledge } from './knowledge.ts';
import { checkFoundation, checkRepeatedFailure } from './repeated-failures.ts';

/** The model: which status may follow which. Written down here a second time on purpose, and not from the table that the code uses. */
const MOVES: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  blocked: ['blocked', 'open', 'cancelled'],
  open: ['open', 'claimed', 'failed', 'cancelled'],
  claimed: ['claimed', 'in_progress', 'auth_required', 'in_review', 'open', 'failed', 'cancelled'],
  in_progress: ['in_progress', 'auth_required', 'in_review', 'open', 'failed', 'cancelled'],
  auth_required: ['auth_required', 'claimed', 'open', 'failed', 'cancelled'],
  in_review: ['in_review', 'claimed', 'open', 'done', 'failed', 'cancelled'],
  done: [],
  failed: ['open'],
  cancelled: [],
};
const LIVE: readonly TaskStatus[] = ['claimed', 'in_progress', 'auth_required', 'in_review'];

type ReportViolation = (invariant: string, message: string) => void;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function checkAttempts(before: Task, after: Task, broken: ReportViolation): void {
  const added = after.attempts.length - before.attempts.length;
  if (added < 0 || added > 1)
    broken(
      'attempts are added one by one',
      `${after.id}: ${before.attempts.length} to ${after.attempts.length}`,
    );
  before.attempts.forEach((was, index) => {
    const is = after.attempts[index];
    if (!is || is === was) return;
    if (was.outcome !== null && !same(was, is))
      broken('an ended attempt stays as it was', `${after.id}/${was.number} ended as ${was.outcome}`);
    for (const field of ['report', 'artifact', 'verification', 'verdict'] as const)
      if (was[field] !== null && !same(withoutChallenge(was[field]), withoutChallenge(is[field])))
        broken('what was written of an attempt stays', `${field} of ${after.id}/${was.number} has changed`);
  });
  const isMerge = after.attempts.at(-1)?.merge !== undefined;
  if (added === 1) (isMerge ? checkMerge : checkNew)(before, after, broken);
}

/** Only work that was passed, and had leave to leave, is put on top of something else; and what was said of it is not said of that. */
function checkMerge(before: Task, after: Task, broken: ReportViolation): void {
  const [was, is] = [before.attempts.at(-1), after.attempts.at(-1)];
  if (before.delivery?.state !== 'pushing' || was?.decision?.action !== 'accept')
    broken('only passed work is merged', `${after.id}/${is?.number}`);
  if (is?.verification || is?.verdict || is?.decision)
    broken('merged work is judged anew', `${after.id}/${is?.number} has a verdict from the start`);
}

/** Evidence without what a challenge adds to it. */
function withoutChallenge(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('gates' in value) || !Array.isArray(value.gates))
    return value;
  const gates = value.gates.filter(({ name }: { readonly name: string }) => name !== 'challenge');
  return { ...value, gates, failed_checks: undefined };
}

/** Attempts that count: those of this round that were not lost by our own fault. */
const spent = (round: readonly Attempt[]): number =>
  round.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);

function checkNew(before: Task, after: Task, broken: ReportViolation): void {
  const running = before.attempts.find(({ outcome }) => outcome === null);
  if (running) broken('one attempt at a time', `${after.id}/${running.number} still runs`);
  const round = before.attempts.filter(({ number }) => number >= before.first_budgeted_attempt);
  const counted = round.filter(
    ({ outcome, merge }) => outcome !== 'infra_failed' && outcome !== 'expired' && !merge,
  );
  const most = after.budget.max_attempts + (after.foundation ? 1 : 0);
  if (counted.length >= most)
    broken('attempts within the budget', `${after.id} starts attempt ${counted.length + 1} of ${most}`);
  const limit = after.budget.max_cost_usd;
  if (limit !== undefined && spent(round) >= limit)
    broken('costs within the budget', `${after.id} has spent $${spent(round)} of $${limit}`);
}

function checkLocks(of: Simulation, after: Task, broken: ReportViolation): void {
  if (!LIVE.includes(after.status) || after.files.length === 0) return;
  for (const item of of.cloud.table.items()) {
    if (item['sk'] !== 'task' || item['id'] === after.id || !LIVE.includes(item['status'] as TaskStatus))
      continue;
    const found = findFileOverlap(after.files, item['files'] as string[]);
    if (found !== null && item['repository'] === after.repository)
      broken(
        'files held once',
        `${after.id} is ${after.status}, and ${String(item['id'])} holds ${found.lockedPath}`,
      );
  }
}

function checkDone(of: Simulation, after: Task, broken: ReportViolation): void {
  const attempt = after.attempts.at(-1);
  const { tree, base_commit: base } = attempt?.artifact ?? { tree: '', base_commit: '' };
  const isApproved =
    after.review?.decision === 'approve' &&
    of.knowledge.approvedTrees.has(OracleKnowledge.pair(after.id, tree));
  // A retry of work that has passed delivers it again under the verdict of the earlier attempt.
  const verdict = attempt && findJudgedAttempt(after, attempt).verdict;
  const isPassed = verdict?.verdict === 'pass' && verdict.tree === tree && verdict.base_commit === base;
  if (!isApproved && !isPassed)
    broken('done with a passing verdict', `${after.id} is done; verdict ${verdict?.verdict ?? 'none'}`);
  const found = of.knowledge.treeOutcomes.get(OracleKnowledge.pair(base, tree));
  if (after.verified && found !== 'passed' && !isApproved)
    broken('verified by gates of ours', `${after.id} is verified; gates said ${found ?? 'nothing'}`);
}

function checkDelivered(of: Simulation, after: Task, broken: ReportViolation): void {
  if (after.delivery?.state !== 'delivered') return;
  const there = of.remote.branches.get(after.delivery.branch ?? '');
  if (there?.tree !== after.delivery.tree)
    broken(
      'delivered is what is there',
      `${after.id} says delivered, and its branch is at ${there?.tree ?? 'nothing'}`,
    );
}

/** Once leave to push was given, no person's word ends the task. */
function checkWithdrawn(before: Task, after: Task, broken: ReportViolation): void {
  const isLeaving = before.delivery?.state === 'pushing' || before.delivery?.state === 'delivered';
  const code = after.failure?.code;
  if (isLeaving && after.status !== before.status && (code === 'cancelled' || code === 'failed_by_operator'))
    broken(
      'what is being delivered is not withdrawn',
      `${after.id} was ${before.delivery?.state} when it ended as ${code}`,
    );
}

/** The base is the platform's, and stays while a round lasts. */
function checkBase(before: Task, after: Task, broken: ReportViolation): void {
  const isNewRound = before.status === 'failed';
  const isMerge =
    after.attempts.length > before.attempts.length && after.attempts.at(-1)?.merge !== undefined;
  if (isMerge && after.attempts.at(-1)?.merge?.target_commit !== after.base_commit)
    broken('a task keeps its base', `${after.id} is bound to something else than it was put onto`);
  if (!isMerge && before.base_commit !== null && after.base_commit !== before.base_commit && !isNewRound)
    broken('a task keeps its base', `${after.id} is bound to another one`);
  const attempt = after.attempts.at(-1);
  const base = attempt?.artifact?.base_commit;
  if (
    attempt &&
    attempt.number >= after.first_budgeted_attempt &&
    base !== undefined &&
    base !== after.base_commit
  )
    broken('work is bound to the base of its task', `${after.id}/${attempt.number} is on another`);
}

/** A heartbeat that was answered is a promise. */
function checkLease(of: Simulation, before: Task, after: Task, broken: ReportViolation): void {
  for (const was of before.attempts) {
    const is = after.attempts.find(({ number }) => number === was.number);
    const lease = of.knowledge.leases.get(`${after.id}/${was.number}`) ?? 0;
    const isHandedBack = is?.progress?.message.startsWith('handed back') === true;
    const left = lease - of.world.clock.now / 1_000;
    if (was.outcome === null && is?.outcome === 'expired' && !isHandedBack && left > 0)
      broken('a lease that was promised is kept', `${after.id}/${was.number} had ${left} s left`);
  }
}

/** A report counts for the attempt whose token it came with. */
function checkReport(of: Simulation, before: Task, after: Task, broken: ReportViolation): void {
  const attempt = after.attempts.at(-1);
  const tree = attempt?.artifact?.tree;
  if (!attempt || tree === undefined || before.attempts.at(-1)?.artifact?.tree === tree) return;
  if (attempt.merge && of.knowledge.merged.has(OracleKnowledge.pair(after.id, tree))) return;
  if (!of.knowledge.handedInTrees.get(OracleKnowledge.pair(after.id, tree))?.has(attempt.number))
    broken(
      'a report counts for its own attempt',
      `${after.id}/${attempt.number} has work that came with another token`,
    );
}

/** Attributes that only say where an item lies in an index. */
const INDEXED: ReadonlySet<string> = new Set(Object.values(TABLE_INDEXES).flatMap(({ pk, sk }) => [pk, sk]));
const facts = (item: TableWrite['after']): unknown =>
  Object.entries(item ?? {})
    .filter(([name]) => !INDEXED.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Who starts without all that it depends on has asked for it, and nothing of that can still come. */
function checkPartial(of: Simulation, before: Task | null, after: Task, broken: ReportViolation): void {
  if (after.status !== 'open' || (before && before.status !== 'blocked')) return;
  const all = new Map(of.cloud.table.items().map((item) => [item['id'], item as unknown as Task]));
  const unmet = after.depends_on.filter((id) => all.get(id)?.status !== 'done');
  if (unmet.length === 0) return;
  const isAsked = after.partial_dependencies !== 'wait' && after.partial_start !== undefined;
  if (!isAsked || unmet.length === after.depends_on.length)
    broken('nothing starts before what it depends on', `${after.id} starts without ${unmet.join()}`);
}

/** A write that keeps the version moves a deadline and nothing else. */
function checkDeadline({ before, after }: TableWrite, broken: ReportViolation): void {
  if (!same(facts(before), facts(after)))
    broken('versions count by one', `${String(after?.['id'])} has changed and kept its version`);
}

/** Passed work whose delivery was lost goes to review again without an agent, in an attempt of its own. */
const isRedelivery = (before: Task, after: Task): boolean =>
  before.status === 'open' &&
  after.status === 'in_review' &&
  after.attempts.length === before.attempts.length + 1 &&
  after.attempts.at(-1)?.redelivery !== undefined;

/** Looks at each write of a task at the moment at which it happens. */
export function checkTaskWrite(of: Simulation, write: TableWrite): void {
  if (isRequestKey(write.key)) checkRequestWrite(of, write);
  if (String(write.key['pk']).startsWith(TABLE_ITEM_KEY_PREFIXES.container)) checkCapacityWrite(of, write);
  if (write.key['sk'] !== 'task' || write.after === null) return;
  of.knowledge.writes++;
  const before = write.before as unknown as Task | null;
  const after = write.after as unknown as Task;
  const broken: ReportViolation = (invariant, message) => of.world.reportViolation(invariant, message);
  if (before) {
    // The facts are compared, the status among them.
    if (after.version === before.version) {
      checkDeadline(write, broken);
      return;
    }
    if (!MOVES[before.status].includes(after.status) && !isRedelivery(before, after))
      broken('only known transitions', `${after.id}: ${before.status} to ${after.status}`);
    if (after.version !== before.version + 1)
      broken('versions count by one', `${after.id}: ${before.version} to ${after.version}`);
    if (after.run < before.run) broken('runs only go up', after.id);
    checkAttempts(before, after, broken);
    checkRepeatedFailure(before, after, broken);
    checkFoundation(of, before, after, broken);
    checkWithdrawn(before, after, broken);
    checkBase(before, after, broken);
    checkReport(of, before, after, broken);
    checkLease(of, before, after, broken);
    checkChallengeBudget(before, after, broken);
    checkChallengedWork(of, after, broken);
  }
  of.world.logEvent(
    () =>
      `${after.id} v${after.version} is ${after.status}${before && before.status !== after.status ? ` (was ${before.status})` : ''}${progress(after)}`,
  );
  if (after.retries > after.max_retries)
    broken('retries within the limit', `${after.id}: ${after.retries} of ${after.max_retries}`);
  if (after.status !== before?.status || before === null) checkLocks(of, after, broken);
  if (after.fix_up_of) of.knowledge.fixedTaskIds.set(after.id, after.fix_up_of.root_task_id);
  checkPartial(of, before, after, broken);
  checkApprovalWrite(of, before, after);
  if (after.status === 'done') checkDone(of, after, broken);
  checkDelivered(of, after, broken);
}

function progress(task: Task): string {
  const attempt = task.attempts.at(-1);
  if (!attempt) return task.waits_for ? `, waits for ${task.waits_for}` : '';
  const words = [
    `attempt ${attempt.number}`,
    attempt.report?.status,
    attempt.verdict && `verdict ${attempt.verdict.verdict}`,
    attempt.decision?.action,
    attempt.outcome,
    task.hold && 'held',
    task.delivery?.state,
    task.waits_for && `waits for ${task.waits_for}`,
    task.failure && `failure: ${task.failure.code}`,
  ];
  return `, run ${task.run}, ${words.filter(Boolean).join(', ')}`;
}
