import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';

const ownMark = (task: string, attempt: number): string => `${task}#${attempt}`;
/** Of what its gates may ask, where nothing was set aside with it. */
export const gatesMark = (task: string, attempt: number): string => `${ownMark(task, attempt)}~gates`;
/** Of judging it the `times`th time: the first is under its own mark. */
export const judgingMark = (task: string, attempt: number, times: number): string =>
  times <= 1 ? ownMark(task, attempt) : `${ownMark(task, attempt)}~${times}`;

/** Under what money may be set aside for an attempt of which the task does not say so yet: its own mark, and more. */
export function marksOf(
  { id }: Pick<Task, 'id'>,
  { number, asked, reserved, reserved_more = [] }: Attempt,
): { readonly own: string; readonly more: readonly string[] } {
  const known = new Set(reserved_more.map(({ mark }) => mark));
  const again = Array.from({ length: Math.max(0, (asked?.times ?? 1) - 1) }, (_, index) =>
    judgingMark(id, number, index + 2),
  );
  const all = [...(reserved ? [] : [gatesMark(id, number)]), ...again];
  return { own: ownMark(id, number), more: all.filter((mark) => !known.has(mark)) };
}
