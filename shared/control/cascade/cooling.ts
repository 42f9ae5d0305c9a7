import * as z from 'zod';
import type { Adapter } from '../../contract/agents/adapter.ts';
import { ADAPTER_FACTS } from '../../contract/agents/adapter-facts.ts';
import { PROVIDERS, type ProviderName } from '../../contract/models/protocols.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { asked } from '../failures/later.ts';
import { failureOf } from '../failures/of-attempt.ts';

/** Seconds of the first pause where the provider names no time; each further one in a row is twice as long. */
const FIRST_SECONDS = 60;
/** The longest pause that we choose ourselves, and the longest that a provider is believed, in seconds. */
const LONGEST_SECONDS = 3_600;
const MOST_ASKED_SECONDS = 6 * 3_600;
/** Attempts that are remembered, so that none counts twice. */
const REMEMBERED = 50;

/** How a provider fares, as all tasks together have met it. */
export const Cooling = z.object({
  provider: z.enum(PROVIDERS),
  /** Until when nothing is begun with it; in the past: it is asked again. */
  until: z.iso.datetime(),
  because: z.string(),
  /** How often in a row it could not do it; 0: its last answer was one. */
  times: z.int().nonnegative(),
  /** `<task>#<attempt>`. */
  seen: z.array(z.string()),
});
export type Cooling = z.infer<typeof Cooling>;

/** What one attempt says of a provider. `until` null: it has answered. */
export interface ProviderMark {
  readonly id: string;
  readonly provider: ProviderName;
  readonly at: string;
  readonly trouble: { readonly because: string; readonly asked: string | null } | null;
}

/** Whose models an attempt calls; null: of a command nobody knows. */
export function providerOf(
  { adapter }: Pick<Task, 'adapter'>,
  attempt: Pick<Attempt, 'adapter'> | null,
  fallback: Adapter,
): ProviderName | null {
  const kind = attempt?.adapter ?? (adapter ?? fallback).kind;
  return kind === 'command' ? null : ADAPTER_FACTS[kind].vendor;
}

/** What a write of a task tells of a provider: that an attempt has ended at it, or that it has done one. Null: nothing. */
export function providerMark(before: Task | null, after: Task, fallback: Adapter): ProviderMark | null {
  const attempt = after.attempts.at(-1);
  const was = before?.attempts.find(({ number }) => number === attempt?.number);
  if (!attempt?.report || was?.report || after.runner !== 'managed' || attempt.merge) return null;
  const provider = providerOf(after, attempt, fallback);
  if (provider === null) return null;
  const failure = failureOf(attempt);
  const isTrouble = failure?.remedy === 'later' || failure?.class === 'provider_spend_limit';
  if (failure !== null && !isTrouble) return null;
  const until = asked(attempt);
  return {
    id: `${after.id}#${attempt.number}`,
    provider,
    at: attempt.report.at,
    trouble: failure && {
      because: failure.class,
      asked: until === null ? null : new Date(until).toISOString(),
    },
  };
}

/** A provider after what an attempt says of it; the same object: nothing changes. Null before: nobody has met trouble with it. */
export function marked(before: Cooling | null, { id, provider, at, trouble }: ProviderMark): Cooling | null {
  if (before?.seen.includes(id)) return before;
  if (trouble === null) return before && before.times > 0 ? { ...before, times: 0 } : before;
  const times = (before?.times ?? 0) + 1;
  const now = Date.parse(at);
  const own = now + Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (times - 1)) * 1_000;
  const wanted =
    trouble.asked === null ? own : Math.min(Date.parse(trouble.asked), now + MOST_ASKED_SECONDS * 1_000);
  // A report that comes late does not shorten what others have said.
  const until = Math.max(wanted, Date.parse(before?.until ?? at));
  return {
    provider,
    until: new Date(until).toISOString(),
    because: trouble.because,
    times,
    seen: [...(before?.seen ?? []), id].slice(-REMEMBERED),
  };
}

/** Those that nothing is begun with now. */
export const coolingAt = (all: readonly Cooling[], now: Date): Cooling[] =>
  all.filter(({ until }) => Date.parse(until) > now.getTime());
