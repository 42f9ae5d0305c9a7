import * as z from 'zod';
import { findMostSpecificScope } from '../../contract/repository/repository-url.ts';
import { type AssayEvent, EVENT_NAMES, EVENT_SCHEMAS } from '../events/event-schemas.ts';
import { NoticeName, type NotifyTarget } from './notify-settings.ts';

/** One event as targets are told of it. */
export const Notice = z.object({
  /** The same whenever the same event comes again. */
  id: z.string().min(1).max(300),
  name: NoticeName,
  at: z.string(),
  summary: z.string(),
  /** Null: the event is about no task. */
  task: z
    .object({
      id: z.string(),
      title: z.string(),
      repository: z.string(),
      version: z.number().int(),
      role: z.string(),
      attempts: z.number().int(),
      cost_usd: z.number().nullable(),
    })
    .nullable(),
  /** Detail of the event, as webhooks get it. */
  detail: z.record(z.string(), z.unknown()),
});
export type Notice = z.infer<typeof Notice>;

/** Message of the queue: one notice for one target. */
export const NoticeDelivery = z.object({ kind: z.literal('notice'), target: z.string(), notice: Notice });
export type NoticeDelivery = z.infer<typeof NoticeDelivery>;

const EventEnvelope = z.object({
  id: z.string(),
  time: z.string(),
  'detail-type': z.string(),
  detail: z.record(z.string(), z.unknown()),
});
const AlarmDetail = z.object({
  alarmName: z.string(),
  state: z.object({ value: z.string(), reason: z.string().default('') }),
  configuration: z.object({ description: z.string().optional() }).optional(),
});
const ALARM_EVENT = 'CloudWatch Alarm State Change';
const isEventName = (name: string): name is AssayEvent['name'] =>
  (EVENT_NAMES as readonly string[]).includes(name);

/** Reads an event of EventBridge. Returns null for an event that no target is told of. @throws ZodError if its form is wrong */
export function noticeOfEvent(event: unknown): Notice | null {
  const { id, time, 'detail-type': type, detail } = EventEnvelope.parse(event);
  if (type === ALARM_EVENT) {
    const { alarmName, state, configuration } = AlarmDetail.parse(detail);
    if (state.value !== 'ALARM') return null;
    const summary = configuration?.description ?? `${alarmName}: ${state.reason}`;
    return {
      id,
      name: 'Alarm',
      at: time,
      summary,
      task: null,
      detail: { alarm: alarmName, summary, at: time },
    };
  }
  if (!isEventName(type)) return null;
  const { event_id, at, summary, task_id, title, repository, version, role, attempts, cost_usd } =
    EVENT_SCHEMAS[type].parse(detail);
  const task = { id: task_id, title, repository, version, role, attempts, cost_usd };
  return { id: event_id, name: type, at, summary, task, detail };
}

/** Returns whether a target keeps one message for each task, which later events of the task update. */
export const keepsTaskMessage = (target: NotifyTarget): boolean =>
  target.kind === 'slack' && target.channel !== undefined;

/** Returns whether a target asks for a notice by name. */
export const isSubscribed = (target: NotifyTarget, { name }: Pick<Notice, 'name'>): boolean =>
  target.events.includes(name);

/** Returns the targets that may have to be told of a notice: those that ask for it, or that may have a message of its task. */
export const selectTargets = (targets: readonly NotifyTarget[], notice: Notice): readonly NotifyTarget[] =>
  targets.filter((target) => {
    const isWanted = isSubscribed(target, notice) || (notice.task !== null && keepsTaskMessage(target));
    if (!isWanted || target.repositories === undefined) return isWanted;
    if (notice.task === null) return false;
    return (
      findMostSpecificScope(
        target.repositories.map((url) => ({ url })),
        notice.task.repository,
      ) !== null
    );
  });

/**
 * Returns the key of the delivery of a notice to a target. A channel gets one message where one write of a task made two
 * events (`Task Failed` with `Budget Spent`), and a bot keeps one message for each task.
 */
export function deliveryKey(target: NotifyTarget, { id, task }: Notice): string {
  if (task === null || target.kind === 'webhook') return id;
  return keepsTaskMessage(target) ? task.id : `${task.id}#${task.version}`;
}
