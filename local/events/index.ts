import { randomUUID } from 'node:crypto';
import type { BusEvent, EventBus, LambdaHost, ResolvedResource, Running } from '../ports.ts';
import { after } from '../timer.ts';
import { type Rule, readRules, type Target } from './rules.ts';

export interface EventBusOptions {
  readonly resources: readonly ResolvedResource[];
  readonly lambda: LambdaHost;
  onError(message: string): void;
}

export interface LocalEventBus extends Running, EventBus {
  /**
   * Runs every schedule now, and waits for its functions. The regular times are not changed by it.
   * `more` is added to the targets' own input.
   */
  fireSchedules(more?: Readonly<Record<string, unknown>>): Promise<void>;
}

/**
 * The default event bus of EventBridge with the rules of a template: schedules run from now on, events reach the functions
 * whose patterns match. Throws at once for a rule that is not understood.
 */
export function createEventBus({ resources, lambda, onError }: EventBusOptions): LocalEventBus {
  const rules = readRules(resources);
  const pending = new Set<Promise<void>>();

  const invoke = async (rule: Rule, target: Target, event: FullEvent, more: More): Promise<void> => {
    try {
      const { error } = await lambda.invoke(target.functionArn, withMore(target.input ?? event, more));
      if (error) onError(`rule ${rule.name}: ${error.errorType}: ${error.errorMessage}`);
    } catch (error) {
      onError(`rule ${rule.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const deliver = async (rule: Rule, event: FullEvent, more: More = {}): Promise<void> => {
    const delivery = Promise.all(rule.targets.map((target) => invoke(rule, target, event, more))).then(() => {
      pending.delete(delivery);
    });
    pending.add(delivery);
    await delivery;
  };
  const fire = (rule: Rule, more: More = {}) => {
    const scheduled = { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} };
    return deliver(rule, complete(rule, { ...scheduled, resources: [rule.arn] }), more);
  };
  const cancels = rules.map((rule) => repeat(rule.every, () => void fire(rule)));

  return {
    put(event) {
      for (const rule of rules) {
        const full = complete(rule, event);
        if (rule.matches?.(full)) void deliver(rule, full);
      }
    },
    async fireSchedules(more = {}) {
      await Promise.all(rules.filter(({ every }) => every !== undefined).map((rule) => fire(rule, more)));
    },
    async stop() {
      for (const cancel of cancels) cancel();
      await Promise.all(pending);
    },
  };
}

type More = Readonly<Record<string, unknown>>;
const withMore = (input: unknown, more: More): unknown =>
  typeof input === 'object' && input !== null ? { ...input, ...more } : input;

/** An event with all that EventBridge adds to it. */
type FullEvent = ReturnType<typeof complete>;
function complete({ account, region }: Rule, event: BusEvent) {
  const time = new Date().toISOString().replace(/\.\d+/, '');
  return { version: '0', id: randomUUID(), account, region, time, resources: [], ...event };
}

/** Calls `fire` again and again; never for an undefined period. Returns what ends it. */
function repeat(every: number | undefined, fire: () => void): () => void {
  if (every === undefined) return () => {};
  let cancel = () => {};
  const arm = () => {
    cancel = after(every, () => {
      arm();
      fire();
    });
  };
  arm();
  return () => cancel();
}
