import type * as z from 'zod';
import type { ApprovalList, ApprovalsQuery, ParkBody } from '../../api/approval-schemas.ts';
import { approvalItem } from '../../api/approval-view.ts';
import { type Approval, Ask } from '../../contract/approval/schema.ts';
import { objectKey } from '../../contract/names.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ApprovalRules } from '../../control/approvals/rules.ts';
import { askApproval, askedBefore, decideApproval, type Word } from '../../control/task-commands/approve.ts';
import type { TaskRow, TaskStore } from '../../store/tasks.ts';
import { listTasks } from '../operate/list.ts';

interface Asked {
  readonly task: Task;
  readonly approval: Approval;
}

/** An agent asks for leave. One conditional write; asked again by the same box it has the same answer. */
export async function park(
  id: string,
  attempt: number,
  { work, session, ...body }: z.infer<typeof ParkBody>,
  { tasks, rules, now }: { readonly tasks: TaskStore; readonly rules: ApprovalRules; readonly now: Date },
): Promise<Asked> {
  const ask = Ask.parse(body);
  const asking = {
    ask,
    work: work ? { ...work, patch_key: objectKey.patch(id, attempt, work.patch_sha256) } : null,
    session: session ?? null,
    ...rules,
  };
  const task = await tasks.change(id, (each) => askApproval(each, attempt, asking, now));
  const approval = askedBefore(task, attempt, ask);
  if (!approval) throw new Error(`task ${id} has lost what it asked for`);
  return { task, approval };
}

/** A person's word. */
export async function wordOnApproval(
  id: string,
  word: Word,
  { tasks, now }: { readonly tasks: TaskStore; readonly now: Date },
): Promise<Asked> {
  const task = await tasks.change(id, (each) => decideApproval(each, word, now));
  const approval = task.approvals?.find(({ number }) => number === word.number) ?? task.approvals?.at(-1);
  if (!approval) throw new Error(`task ${id} has lost its approval`);
  return { task, approval };
}

/** What waits for leave, the oldest task first. */
export async function listApprovals(
  query: z.infer<typeof ApprovalsQuery>,
  tasks: TaskStore,
  now: Date,
  isVisible: (row: TaskRow) => boolean = () => true,
): Promise<z.infer<typeof ApprovalList>> {
  const page = await listTasks({ ...query, status: 'auth_required' }, tasks, isVisible);
  const whole = await tasks.getMany(page.tasks.map(({ id }) => id));
  return {
    approvals: page.tasks.flatMap(({ id }) => {
      const task = whole.get(id);
      const item = task && approvalItem(task, now);
      return item ? [item] : [];
    }),
    next_cursor: page.next_cursor,
  };
}
