import type { AlarmDefinition } from './alarms.ts';
import type { DataPoint } from './metric-math.ts';
import type { MetricStore } from './metrics.ts';

const MINUTE_MS = 60_000;

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export interface AlarmEvaluation {
  readonly state: AlarmState;
  /** One sentence. */
  readonly reason: string;
}

/**
 * Evaluates an alarm at `now` (milliseconds since 1970). Periods end with the current minute, so that samples
 * of this minute count. `before` is its previous state, which `ignore` keeps when there is no data.
 */
export function evaluateAlarm(
  alarm: AlarmDefinition,
  store: MetricStore,
  now: number,
  before: AlarmState,
): AlarmEvaluation {
  const end = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  const points = Array.from({ length: alarm.evaluationPeriods }, (_, index) =>
    pointAt(alarm, store, end - index * alarm.periodMs),
  );
  const present = points.filter((point) => point !== null);
  const missing = points.length - present.length;
  if (present.length === 0 && (alarm.missingData === 'missing' || alarm.missingData === 'ignore')) {
    const state = alarm.missingData === 'ignore' ? before : 'INSUFFICIENT_DATA';
    return { state, reason: `None of the last ${points.length} periods has data.` };
  }
  const crossed = present.filter((point) => alarm.breaches(point));
  const breaching = crossed.length + (alarm.missingData === 'breaching' ? missing : 0);
  const found = `[${points.map((point) => point ?? 'no data').join(', ')}]`;
  return {
    state: breaching >= alarm.datapointsToAlarm ? 'ALARM' : 'OK',
    reason: `${breaching} of the last ${points.length} periods ${found} breach ${alarm.comparison} ${alarm.threshold}; ${alarm.datapointsToAlarm} are needed.`,
  };
}

function pointAt(alarm: AlarmDefinition, store: MetricStore, end: number): DataPoint {
  const read = (id: string): DataPoint => {
    const expression = alarm.expressions.get(id);
    if (expression) return expression.evaluate(read);
    const metric = alarm.metrics.get(id);
    return metric ? store.read(metric.key, metric.statistic, end - alarm.periodMs, end) : null;
  };
  return read(alarm.watched);
}
