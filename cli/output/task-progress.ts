import type { TaskView } from '../../shared/api/task-schemas.ts';
import { isTerminalStatus } from '../../shared/contract/task/status.ts';
import { formatDuration } from '../../shared/lib/format.ts';
import type { OutputStream, TerminalColors } from '../io.ts';
import { createLiveLineRenderer, type LiveLine } from './live-lines.ts';
import { chooseStatusStyle, renderTaskNote } from './task-style.ts';
import { padEnd, toOneLine } from './text.ts';

/** Describes the current activity of a task in a few words. */
function describeTaskActivity(task: TaskView): string {
  const note = renderTaskNote(task);
  if (note !== '') return note;
  if (task.delivery?.state === 'delivered') return task.branch ?? 'delivered';
  return toOneLine(task.progress ?? '');
}

const facts = (task: TaskView): string[] =>
  [
    task.attempt_count > 0 ? `attempt ${task.attempt_count}` : '',
    toOneLine(task.model ?? ''),
    task.verdict === null ? '' : `verdict ${task.verdict}`,
    describeTaskActivity(task),
  ].filter((fact) => fact !== '');

function lineOf(task: TaskView, idWidth: number, now: number): LiveLine {
  const head = `${padEnd(task.id, idWidth)}  ${padEnd(task.status, 11)}`;
  const end = task.ended_at && isTerminalStatus(task.status) ? Date.parse(task.ended_at) : now;
  const elapsed = formatDuration(Math.max(0, end - Date.parse(task.created_at)));
  return {
    key: task.id,
    live: `${head}  ${padEnd(elapsed, 8)}  ${facts(task).join(' · ')}`.trimEnd(),
    plain: `${head}  ${facts(task).join(' · ')}`.trimEnd(),
  };
}

export interface TaskProgressDisplay {
  /** Shows the new state of a task. */
  show(task: TaskView): void;
  /** Draws the last state and stops the clock. */
  stop(): void;
}

/** Shows one line for each task: in place with elapsed times on a terminal, one line for each change elsewhere. */
export function startTaskProgressDisplay(
  output: OutputStream,
  colors: TerminalColors,
  ids: readonly string[],
): TaskProgressDisplay {
  const tasks = new Map<string, TaskView>();
  const idWidth = Math.max(0, ...ids.map((id) => id.length));
  const lines = createLiveLineRenderer(output, ids.length, (line, text) => {
    const task = tasks.get(line.key);
    return task
      ? text.slice(0, idWidth) +
          text
            .slice(idWidth)
            .replace(task.status, chooseStatusStyle(colors, task.status, task.flagged_unverified))
      : text;
  });
  const draw = (): void => {
    const now = Date.now();
    lines.update(ids.flatMap((id) => tasks.get(id) ?? []).map((task) => lineOf(task, idWidth, now)));
  };
  const timer = output.isTTY ? setInterval(draw, 200) : undefined;
  timer?.unref();
  return {
    show: (task) => {
      tasks.set(task.id, task);
      draw();
    },
    stop: () => {
      clearInterval(timer);
      if (timer) draw();
    },
  };
}
