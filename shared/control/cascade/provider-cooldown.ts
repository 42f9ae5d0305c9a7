import * as z from 'zod';
import { PROVIDERS, type ProviderName } from '../../contract/models/protocols.ts';

/** Seconds of the first pause where the provider names no time; each further outage in a row doubles it. */
const FIRST_SECONDS = 60;
/** Longest pause in seconds that we choose ourselves, and the longest that a provider may ask for. */
const LONGEST_SECONDS = 3_600;
const MOST_ASKED_SECONDS = 8 * 86_400;
/** Attempts that are remembered, so that none counts twice. */
const REMEMBERED = 50;
/** After a pause one task tries the provider; others may try after so many seconds, if it has not ended by then. */
export const PROBE_SECONDS = 60;

/** Outages of a provider, as the attempts of all tasks have met them. */
export const ProviderCooldown = z.object({
  provider: z.enum(PROVIDERS),
  /** When the latest outage was counted. */
  since: z.iso.datetime(),
  /** Until when nothing is begun with it; in the past: one task at a time tries it. */
  until: z.iso.datetime(),
  reason: z.string(),
  /** Outages in a row; 0: its last answer was good. Attempts that fail during one outage count once. */
  consecutive_failures: z.int().nonnegative(),
  /** `<task>#<attempt>`. */
  counted_attempts: z.array(z.string()),
  /** The task that tries the provider after a pause. */
  probe: z.object({ task: z.string(), until: z.iso.datetime() }).nullable().default(null),
  /** The operator who ended the latest pause; null: it ended otherwise, or lasts. */
  cleared: z.object({ by: z.string(), reason: z.string(), at: z.iso.datetime() }).nullable().default(null),
});
export type ProviderCooldown = z.infer<typeof ProviderCooldown>;

/** What one attempt says of a provider. */
export interface ProviderObservation {
  readonly id: string;
  readonly provider: ProviderName;
  /** When the attempt started: one that started before a pause ended belongs to the outage of that pause. */
  readonly started_at: string;
  readonly at: string;
  /** Null: the provider has answered. */
  readonly failure: { readonly reason: string; readonly asked: string | null } | null;
}

/**
 * Returns a provider's cooldown after an observation; the same object: nothing changes. Null before: no failure is known.
 * A success ends the pause. A failure of an attempt that started before the pause ended is the same outage: it can prolong the pause by
 * the time that the provider asks for, but does not double it.
 */
export function updateProviderCooldown(
  before: ProviderCooldown | null,
  { id, provider, started_at, at, failure }: ProviderObservation,
): ProviderCooldown | null {
  if (before?.counted_attempts.includes(id)) return before;
  const now = Date.parse(at);
  if (failure === null) {
    // A success that ended before the outage was counted says nothing of it.
    if (before === null || before.consecutive_failures === 0 || now < Date.parse(before.since)) return before;
    return { ...before, consecutive_failures: 0, until: earlier(before.until, at), probe: null };
  }
  const asked =
    failure.asked === null ? null : Math.min(Date.parse(failure.asked), now + MOST_ASKED_SECONDS * 1_000);
  const counted_attempts = [...(before?.counted_attempts ?? []), id].slice(-REMEMBERED);
  if (
    before !== null &&
    before.consecutive_failures > 0 &&
    Date.parse(started_at) < Date.parse(before.until)
  ) {
    const until = Math.max(asked ?? 0, Date.parse(before.until));
    return { ...before, until: new Date(until).toISOString(), counted_attempts };
  }
  const consecutive_failures = (before?.consecutive_failures ?? 0) + 1;
  const own = now + Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (consecutive_failures - 1)) * 1_000;
  // A time that the provider names counts alone for the first outage; one that was too early before is no reason to try at once.
  const isTrusted = asked !== null && asked > now && consecutive_failures === 1;
  const until = new Date(isTrusted ? asked : Math.max(asked ?? 0, own)).toISOString();
  return {
    provider,
    since: at,
    until,
    reason: failure.reason,
    consecutive_failures,
    counted_attempts,
    probe: null,
    cleared: null,
  };
}

const earlier = (a: string, b: string): string => (Date.parse(a) < Date.parse(b) ? a : b);

/** Returns a cooldown that an operator has ended. */
export const clearProviderCooldown = (
  before: ProviderCooldown,
  { by, reason }: { readonly by: string; readonly reason: string },
  now: Date,
): ProviderCooldown => ({
  ...before,
  until: earlier(before.until, now.toISOString()),
  consecutive_failures: 0,
  probe: null,
  cleared: { by, reason, at: now.toISOString() },
});

/** closed: in use. open: paused. half_open: the pause is over, and one task at a time tries the provider. */
export const PROVIDER_STATES = ['closed', 'open', 'half_open'] as const;
export type ProviderState = (typeof PROVIDER_STATES)[number];
export function determineProviderState(
  { consecutive_failures, until }: Pick<ProviderCooldown, 'consecutive_failures' | 'until'>,
  now: Date,
): ProviderState {
  if (consecutive_failures === 0) return 'closed';
  return Date.parse(until) > now.getTime() ? 'open' : 'half_open';
}

/**
 * Lets a task try a provider after a pause. Returns the cooldown with the task's probe, the same object if there is nothing to claim, or null if
 * the provider is paused or another task is trying it.
 */
export function claimProviderProbe(
  cooldown: ProviderCooldown,
  task: string,
  now: Date,
): ProviderCooldown | null {
  if (determineProviderState(cooldown, now) === 'closed') return cooldown;
  if (isBlocked(cooldown, task, now)) return null;
  const until = new Date(now.getTime() + PROBE_SECONDS * 1_000).toISOString();
  return { ...cooldown, probe: { task, until } };
}

function isBlocked(cooldown: ProviderCooldown, task: string, now: Date): boolean {
  const { probe } = cooldown;
  const state = determineProviderState(cooldown, now);
  if (state !== 'half_open') return state === 'open';
  return probe !== null && probe.task !== task && Date.parse(probe.until) > now.getTime();
}

/** Returns the cooldowns that keep a task from starting; `until` is when it may look again. */
export const filterBlockingCooldowns = (
  all: readonly ProviderCooldown[],
  task: string,
  now: Date,
): ProviderCooldown[] =>
  all
    .filter((each) => isBlocked(each, task, now))
    .map((each) =>
      determineProviderState(each, now) === 'half_open' && each.probe
        ? { ...each, until: each.probe.until }
        : each,
    );

/** Returns the cooldowns of providers that are paused now. */
export const filterActiveCooldowns = (all: readonly ProviderCooldown[], now: Date): ProviderCooldown[] =>
  all.filter((each) => determineProviderState(each, now) === 'open');
