const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Milliseconds between two runs of `rate(5 minutes)`. Throws for any other kind of schedule, by name. */
export function parseRate(expression: string): number {
  const [, count, unit, plural] = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const milliseconds = Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
  // EventBridge insists on the grammar: 1 minute, 2 minutes.
  if (!milliseconds || (count === '1') === (plural === 's')) {
    throw new Error(`ScheduleExpression ${expression} is not supported: only rate(...) is`);
  }
  return milliseconds;
}
