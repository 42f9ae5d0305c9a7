import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';

const attemptReservationId = (task: string, attempt: number): string => `${task}#${attempt}`;
/** Of what its gates may ask, where nothing was set aside with it. */
export const gatesReservationId = (task: string, attempt: number): string =>
  `${attemptReservationId(task, attempt)}~gates`;
/** Of what its challenger may ask. */
export const challengerReservationId = (task: string, attempt: number): string =>
  `${attemptReservationId(task, attempt)}~challenger`;
/** Of judging it the `times`th time: the first is under its own mark. */
export const judgingReservationId = (task: string, attempt: number, times: number): string =>
  times <= 1 ? attemptReservationId(task, attempt) : `${attemptReservationId(task, attempt)}~${times}`;

/** Under what money may be set aside for an attempt of which the task does not say so yet: its own mark, and more. */
export function unrecordedReservationIds(
  { id }: Pick<Task, 'id'>,
  { number, judging_rounds: asked, reservation: reserved, extra_reservations = [], challenge }: Attempt,
): { readonly own: string; readonly more: readonly string[] } {
  const known = new Set(extra_reservations.map(({ key: mark }) => mark));
  const again = Array.from({ length: Math.max(0, (asked?.count ?? 1) - 1) }, (_, index) =>
    judgingReservationId(id, number, index + 2),
  );
  const all = [
    ...(reserved ? [] : [gatesReservationId(id, number)]),
    ...(challenge ? [challengerReservationId(id, number)] : []),
    ...again,
  ];
  return { own: attemptReservationId(id, number), more: all.filter((mark) => !known.has(mark)) };
}
