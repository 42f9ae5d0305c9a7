import * as z from 'zod';
import type { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import { AGENT_CLI_MANIFESTS } from '../../contract/agents/adapter-manifests.ts';
import { PROVIDERS, type ProviderName } from '../../contract/models/protocols.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import { providerRetryAt } from '../failures/retry-backoff.ts';

/** Seconds of the first pause where the provider names no time; each further one in a row is twice as long. */
const FIRST_SECONDS = 60;
/** The longest pause that we choose ourselves, and the longest that a provider is believed, in seconds. */
const LONGEST_SECONDS = 3_600;
const MOST_ASKED_SECONDS = 6 * 3_600;
/** Attempts that are remembered, so that none counts twice. */
const REMEMBERED = 50;

/** How a provider fares, as all tasks together have met it. */
export const ProviderCooldown = z.object({
  provider: z.enum(PROVIDERS),
  /** Until when nothing is begun with it; in the past: it is asked again. */
  until: z.iso.datetime(),
  reason: z.string(),
  /** How often in a row it could not do it; 0: its last answer was one. */
  consecutive_failures: z.int().nonnegative(),
  /** `<task>#<attempt>`. */
  counted_attempts: z.array(z.string()),
});
export type ProviderCooldown = z.infer<typeof ProviderCooldown>;

/** What one attempt says of a provider. `until` null: it has answered. */
export interface ProviderObservation {
  readonly id: string;
  readonly provider: ProviderName;
  readonly at: string;
  readonly failure: { readonly because: string; readonly asked: string | null } | null;
}

/** Whose models an attempt calls; null: of a command nobody knows. */
export function findAttemptProvider(
  { adapter }: Pick<Task, 'adapter'>,
  attempt: Pick<Attempt, 'adapter'> | null,
  fallback: AgentAdapterSettings,
): ProviderName | null {
  const kind = attempt?.adapter ?? (adapter ?? fallback).kind;
  return kind === 'command' ? null : AGENT_CLI_MANIFESTS[kind].vendor;
}

/** What a write of a task tells of a provider: that an attempt has ended at it, or that it has done one. Null: nothing. */
export function deriveProviderObservation(
  before: Task | null,
  after: Task,
  fallback: AgentAdapterSettings,
): ProviderObservation | null {
  const attempt = after.attempts.at(-1);
  const was = before?.attempts.find(({ number }) => number === attempt?.number);
  if (!attempt?.report || was?.report || after.runner !== 'managed' || attempt.merge || attempt.redelivery)
    return null;
  const provider = findAttemptProvider(after, attempt, fallback);
  if (provider === null) return null;
  const failure = classifyAttemptFailure(attempt);
  const isTrouble = failure?.remedy === 'later' || failure?.class === 'provider_spend_limit';
  if (failure !== null && !isTrouble) return null;
  const until = providerRetryAt(attempt);
  return {
    id: `${after.id}#${attempt.number}`,
    provider,
    at: attempt.report.at,
    failure: failure && {
      because: failure.class,
      asked: until === null ? null : new Date(until).toISOString(),
    },
  };
}

/** A provider after what an attempt says of it; the same object: nothing changes. Null before: nobody has met trouble with it. */
export function updateProviderCooldown(
  before: ProviderCooldown | null,
  { id, provider, at, failure }: ProviderObservation,
): ProviderCooldown | null {
  if (before?.counted_attempts.includes(id)) return before;
  if (failure === null)
    return before && before.consecutive_failures > 0 ? { ...before, consecutive_failures: 0 } : before;
  const times = (before?.consecutive_failures ?? 0) + 1;
  const now = Date.parse(at);
  const own = now + Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (times - 1)) * 1_000;
  const wanted =
    failure.asked === null ? own : Math.min(Date.parse(failure.asked), now + MOST_ASKED_SECONDS * 1_000);
  // A report that comes late does not shorten what others have said.
  const until = Math.max(wanted, Date.parse(before?.until ?? at));
  return {
    provider,
    until: new Date(until).toISOString(),
    reason: failure.because,
    consecutive_failures: times,
    counted_attempts: [...(before?.counted_attempts ?? []), id].slice(-REMEMBERED),
  };
}

/** Those that nothing is begun with now. */
export const filterActiveCooldowns = (all: readonly ProviderCooldown[], now: Date): ProviderCooldown[] =>
  all.filter(({ until }) => Date.parse(until) > now.getTime());
