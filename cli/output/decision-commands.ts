import type { TaskView } from '../../shared/api/task-schemas.ts';
import type { ServerCommandSession } from '../session.ts';
import { toOneLine } from './text.ts';

/** Returns the commands that decide about a task that waits for a reviewer or an approver. */
function decisionCommands(task: TaskView): string[] {
  const id = toOneLine(task.id);
  if (task.status === 'auth_required')
    return [`assay approve ${id} --reason "..."`, `assay deny ${id} --reason "..."`];
  if (task.plan)
    return [`assay plans approve ${id} --reason "..."`, `assay plans reject ${id} --reason "..."`];
  return [`assay review ${id} --approve --reason "..."`, `assay review ${id} --reject --reason "..."`];
}

/** Prints on standard error which tasks wait for a decision, and the commands that decide. */
export function showDecisionCommands(session: ServerCommandSession, tasks: readonly TaskView[]): void {
  for (const task of tasks)
    session.note(
      [
        `${toOneLine(task.id)} ${task.status === 'auth_required' ? 'needs an approval' : 'needs review'}. Decide with:`,
        ...decisionCommands(task).map((command) => `  ${command}`),
      ].join('\n'),
    );
}
