import type { Lifecycle } from '../lib/lifecycle.ts';

/** Condition of the write of an event: the stored item still has the version that was read, and a status that allows the event. */
export const buildLifecycleEventCondition = <Status extends string, Event extends string>(
  lifecycle: Lifecycle<Status, Event>,
  event: Event,
  version: number,
) => {
  const statuses = Object.fromEntries(lifecycle.from(event).map((status, index) => [`:s${index}`, status]));
  return {
    ConditionExpression: `#version = :version AND #status IN (${Object.keys(statuses).join(', ')})`,
    ExpressionAttributeNames: { '#version': 'version', '#status': 'status' },
    ExpressionAttributeValues: { ':version': version, ...statuses },
  };
};
