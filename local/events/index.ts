import { randomUUID } from 'node:crypto';
import { setLongTimeout } from '../long-timeout.ts';
import { runServiceAction, type ServiceAnswer } from '../service-actions.ts';
import type {
  BusEvent,
  EventBus,
  LambdaHost,
  OperationCounters,
  ResolvedResource,
  Stoppable,
} from '../shared-types.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../template/identity.ts';
import { createPutEventsAction } from './put-events.ts';
import { DEFAULT_BUS, type EventBusRule, eventBusNames, type RuleTarget, readRules } from './rules.ts';

export interface EventBusOptions {
  readonly resources: readonly ResolvedResource[];
  readonly lambda: LambdaHost;
  readonly counters: OperationCounters;
  /** Sends a message to a queue of the template, by its ARN. */
  sendMessage(queueArn: string, body: string): Promise<void>;
  onError(message: string): void;
}

/** Events that were put on the buses of the template, and messages to its topics; the oldest first. */
export interface PublishedEvents {
  readonly events: readonly (FullEvent & { readonly bus: string })[];
  readonly messages: readonly { readonly topic: string; readonly message: string }[];
}

export interface LocalEventBus extends Stoppable, EventBus {
  /**
   * Runs every schedule now, and waits for its functions. The regular times do not change.
   * `more` is added to the targets' own input.
   */
  fireSchedules(more?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Serves an action of `AWSEvents` (JSON protocol 1.1). */
  handle(action: string, body: unknown): Promise<ServiceAnswer>;
  history(): PublishedEvents;
}

/** Number of events and messages in the history. */
const KEPT = 1_000;

/**
 * Creates EventBridge with the buses and rules of a template. Schedules run from now on; events reach the
 * functions, topics and queues whose patterns match. @throws Error for a rule with an unsupported property.
 */
export function createEventBus({
  resources,
  lambda,
  counters,
  sendMessage,
  onError,
}: EventBusOptions): LocalEventBus {
  const rules = readRules(resources);
  const pending = new Set<Promise<void>>();
  const events: PublishedEvents['events'][number][] = [];
  const messages: PublishedEvents['messages'][number][] = [];

  const give = async (
    rule: EventBusRule,
    target: RuleTarget,
    event: FullEvent,
    more: More,
  ): Promise<void> => {
    const input = target.input ? target.input(event) : event;
    if (target.kind === 'sns') {
      keep(messages, {
        topic: target.arn,
        message: typeof input === 'string' ? input : JSON.stringify(input),
      });
      return;
    }
    try {
      if (target.kind === 'sqs') {
        await sendMessage(target.arn, typeof input === 'string' ? input : JSON.stringify(input));
        return;
      }
      const { error } = await lambda.invoke(target.arn, withMore(input, more));
      if (error) onError(`rule ${rule.name}: ${error.errorType}: ${error.errorMessage}`);
    } catch (error) {
      onError(`rule ${rule.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const deliver = async (rule: EventBusRule, event: FullEvent, more: More = {}): Promise<void> => {
    const delivery = Promise.all(rule.targets.map((target) => give(rule, target, event, more))).then(() => {
      pending.delete(delivery);
    });
    pending.add(delivery);
    await delivery;
  };
  const fire = (rule: EventBusRule, more: More = {}) => {
    const scheduled = { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} };
    return deliver(rule, complete(rule, { ...scheduled, resources: [rule.arn] }), more);
  };
  const putOn = (event: BusEvent, bus: string, id: string = randomUUID()): string => {
    for (const rule of rules) {
      const full = complete(rule, event, id);
      if (rule.bus === bus && rule.matches?.(full)) void deliver(rule, full);
    }
    return id;
  };
  const actions = {
    PutEvents: createPutEventsAction({
      buses: new Set([DEFAULT_BUS, ...eventBusNames(resources)]),
      put: (event, bus) => {
        const id = randomUUID();
        keep(events, { ...complete(NOWHERE, event, id), bus });
        return putOn(event, bus, id);
      },
    }),
  };
  const cancels = rules.map((rule) => repeat(rule.every, () => void fire(rule)));

  return {
    put(event) {
      putOn(event, DEFAULT_BUS);
    },
    handle: (action, body) => runServiceAction('events', actions, action, body, counters),
    history: () => ({ events, messages }),
    async fireSchedules(more = {}) {
      await Promise.all(rules.filter(({ every }) => every !== undefined).map((rule) => fire(rule, more)));
    },
    async stop() {
      for (const cancel of cancels) cancel();
      await Promise.all(pending);
    },
  };
}

function keep<T>(all: T[], one: T): void {
  all.push(one);
  if (all.length > KEPT) all.shift();
}

type More = Readonly<Record<string, unknown>>;
const withMore = (input: unknown, more: More): unknown =>
  typeof input === 'object' && input !== null ? { ...input, ...more } : input;

/** An event with the fields that EventBridge adds. */
type FullEvent = ReturnType<typeof complete>;
const NOWHERE = { account: LOCAL_ACCOUNT_ID, region: LOCAL_REGION };
function complete(
  { account, region }: Pick<EventBusRule, 'account' | 'region'>,
  event: BusEvent,
  id: string = randomUUID(),
) {
  const time = new Date().toISOString().replace(/\.\d+/, '');
  return { version: '0', id, account, region, time, resources: [], ...event };
}

/**
 * Calls `fire` every `every` milliseconds, or never if that is undefined. Returns the function that ends it.
 */
function repeat(every: number | undefined, fire: () => void): () => void {
  if (every === undefined) return () => {};
  let cancel = () => {};
  const arm = () => {
    cancel = setLongTimeout(every, () => {
      arm();
      fire();
    });
  };
  arm();
  return () => cancel();
}
