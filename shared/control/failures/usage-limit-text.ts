import { LONGEST_LIMIT_SECONDS } from '../../contract/failure/failure-class.ts';

/** What subscriptions and accounts say when their limit for some hours or days is used up. */
const USAGE_LIMIT =
  /(?:usage|session|weekly|daily|monthly|5-hour|five-hour|hourly|request) limit (?:reached|exceeded|hit)|(?:hit|reached|exceeded) your (?:\w+ )?(?:usage|session|weekly|daily|monthly|rate|5-hour)? ?limit|credit balance (?:is )?too low|(?:try|retry) again in \d+ ?(?:days?|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b/i;

const UNIT_SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };
const DURATION = String.raw`(\d+(?:\.\d+)?) ?(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b`;
const DURATIONS = new RegExp(
  String.raw`(?:again|retry|reset|resets|available)[^.\n\d]{0,20}in ((?:${DURATION.replaceAll('(\\d', '(?:\\d')}[ ,and]*)+)`,
  'i',
);
/** Seconds since 1970 behind a bar, as Claude Code prints the end of a limit. */
const EPOCH = /limit reached\|(\d{10})\b/i;
const INSTANT = /(?:again|resets?|until)(?: at| on)? (\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2}))/i;

export interface UsageLimit {
  /** Until the end of the limit; null: the text names no time. */
  readonly retryAfterSeconds: number | null;
}

/** Returns the usage limit that a program reports in its own words, or null. The words must not be a model's prose. */
export function findUsageLimit(text: string, now: Date): UsageLimit | null {
  if (!USAGE_LIMIT.test(text)) return null;
  const epoch = EPOCH.exec(text)?.[1];
  const instant = INSTANT.exec(text)?.[1];
  const until = epoch ? Number(epoch) * 1_000 : instant ? Date.parse(instant) : null;
  const seconds = until === null ? durationSeconds(text) : (until - now.getTime()) / 1_000;
  const isKnown = seconds !== null && Number.isFinite(seconds) && seconds > 0;
  return { retryAfterSeconds: isKnown ? Math.min(LONGEST_LIMIT_SECONDS, Math.ceil(seconds)) : null };
}

function durationSeconds(text: string): number | null {
  const found = DURATIONS.exec(text)?.[1];
  if (found === undefined) return null;
  return [...found.matchAll(new RegExp(DURATION, 'gi'))].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_SECONDS[unit[0]?.toLowerCase() ?? ''] ?? 0),
    0,
  );
}
