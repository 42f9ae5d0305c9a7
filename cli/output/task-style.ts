import type { TaskView } from '../../shared/api/task-schemas.ts';
import type { TaskStatus } from '../../shared/contract/task/status.ts';
import type { Colors } from '../io.ts';
import { toOneLine, truncateToWidth } from './text.ts';

type Style = (text: string) => string;

/** Colour of a status. An unverified `done` is not green: nobody has seen that it works. */
export function statusStyle(colors: Colors, status: TaskStatus, unverified = false): Style {
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

export function verdictStyle(colors: Colors, verdict: TaskView['verdict']): Style {
  if (verdict === 'pass') return colors.green;
  return verdict === 'fail' ? colors.red : verdict === 'refer' ? colors.magenta : (text) => text;
}

type Notable = Pick<TaskView, 'status' | 'hold' | 'failure' | 'blocked_reason' | 'flagged_unverified'>;

/** Most columns of a note: the output of a failed command is in it, and `assay task` has it whole. */
const NOTE = 140;

/** The one thing to know about a task besides its status, on one line. */
export const renderTaskNote = (task: Notable): string => truncateToWidth(toOneLine(wholeNote(task)), NOTE);

function wholeNote(task: Notable): string {
  if (task.failure) return task.failure.message;
  if (task.hold) return `a person must decide: ${task.hold.reasons.join('; ')}`;
  if (task.blocked_reason) return task.blocked_reason.message;
  return task.flagged_unverified ? 'unverified' : '';
}
