import type * as z from 'zod';
import type { ApprovalList, ApprovalRequestBody, ApprovalsQuery } from '../../api/approval-schemas.ts';
import { buildPendingApprovalItem } from '../../api/approval-view.ts';
import { type Approval, ApprovalRequest } from '../../contract/approval/schema.ts';
import { s3ObjectKeys } from '../../contract/resource-names.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ApprovalSettings } from '../../control/approvals/approval-settings.ts';
import {
  type ApprovalDecision,
  decideApproval,
  findRepeatedApprovalRequest,
  recordApprovalRequest,
} from '../../control/task-commands/approval-request.ts';
import type { TaskIndexRow, TaskStore } from '../../store/task-store.ts';
import { listTasks } from '../operate/list-tasks.ts';

interface ApprovalResult {
  readonly task: Task;
  readonly approval: Approval;
}

/** An agent asks for leave. One conditional write; asked again by the same box it has the same answer. */
export async function requestApproval(
  id: string,
  attempt: number,
  { parked_work: work, parked_session: session, ...body }: z.infer<typeof ApprovalRequestBody>,
  { tasks, rules, now }: { readonly tasks: TaskStore; readonly rules: ApprovalSettings; readonly now: Date },
): Promise<ApprovalResult> {
  const ask = ApprovalRequest.parse(body);
  const asking = {
    request: ask,
    parkedWork: work ? { ...work, patch_key: s3ObjectKeys.patch(id, attempt, work.patch_sha256) } : null,
    session: session ?? null,
    autonomy: rules.autonomy,
    timeoutPolicy: rules.timeout_policy,
  };
  const task = await tasks.applyCommand(id, (each) => recordApprovalRequest(each, attempt, asking, now));
  const approval = findRepeatedApprovalRequest(task, attempt, ask);
  if (!approval) throw new Error(`task ${id} has lost what it asked for`);
  return { task, approval };
}

/** A person's word. */
export async function recordApprovalDecision(
  id: string,
  word: ApprovalDecision,
  { tasks, now }: { readonly tasks: TaskStore; readonly now: Date },
): Promise<ApprovalResult> {
  const task = await tasks.applyCommand(id, (each) => decideApproval(each, word, now));
  const approval =
    task.approvals?.find(({ number }) => number === word.approvalNumber) ?? task.approvals?.at(-1);
  if (!approval) throw new Error(`task ${id} has lost its approval`);
  return { task, approval };
}

/** What waits for leave, the oldest task first. */
export async function listApprovals(
  query: z.infer<typeof ApprovalsQuery>,
  tasks: TaskStore,
  now: Date,
  isVisible: (row: TaskIndexRow) => boolean = () => true,
): Promise<z.infer<typeof ApprovalList>> {
  const page = await listTasks({ ...query, status: 'auth_required' }, tasks, isVisible);
  const whole = await tasks.getMany(page.tasks.map(({ id }) => id));
  return {
    approvals: page.tasks.flatMap(({ id }) => {
      const task = whole.get(id);
      const item = task && buildPendingApprovalItem(task, now);
      return item ? [item] : [];
    }),
    next_cursor: page.next_cursor,
  };
}
