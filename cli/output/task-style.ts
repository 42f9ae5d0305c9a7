import type { TaskView } from '../../shared/api/task-schemas.ts';
import type { TaskStatus } from '../../shared/contract/task/status.ts';
import type { TerminalColors } from '../io.ts';
import { toOneLine, truncateToWidth } from './text.ts';

type Style = (text: string) => string;

/** Returns the colour of a status. An unverified `done` is not green, because nothing shows that it works. */
export function chooseStatusStyle(colors: TerminalColors, status: TaskStatus, unverified = false): Style {
  switch (status) {
    case 'done':
      return unverified ? colors.yellow : colors.green;
    case 'failed':
      return colors.red;
    case 'cancelled':
      return colors.gray;
    case 'auth_required':
      return colors.magenta;
    case 'open':
    case 'blocked':
      return (text) => text;
    default:
      return colors.cyan;
  }
}

export function chooseVerdictStyle(colors: TerminalColors, verdict: TaskView['verdict']): Style {
  if (verdict === 'pass') return colors.green;
  return verdict === 'fail' ? colors.red : verdict === 'refer' ? colors.magenta : (text) => text;
}

type Notable = Pick<TaskView, 'status' | 'hold' | 'failure' | 'blocked_reason' | 'flagged_unverified'>;

/** Maximum width of a note; `assay task` prints the whole output of a failed command. */
const MAX_NOTE = 140;

/** Renders the most important fact about a task besides its status, on one line. */
export const renderTaskNote = (task: Notable): string =>
  truncateToWidth(toOneLine(wholeNote(task)), MAX_NOTE);

function wholeNote(task: Notable): string {
  if (task.failure) return task.failure.message;
  if (task.hold) return `needs review: ${task.hold.reasons.join('; ')}`;
  if (task.blocked_reason) return task.blocked_reason.message;
  return task.flagged_unverified ? 'unverified' : '';
}
