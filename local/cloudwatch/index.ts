import type { ResolvedResource } from '../shared-types.ts';
import { type AlarmEvaluation, type AlarmState, evaluateAlarm } from './alarm-evaluation.ts';
import { readAlarms } from './alarms.ts';
import { MetricStore, parseEmbeddedMetrics } from './metrics.ts';

export interface CloudWatchOptions {
  readonly resources: readonly ResolvedResource[];
  /** Called when the metrics in a log line have put an alarm into the state `ALARM`. */
  readonly onAlarm?: (
    alarm: AlarmEvaluation & { readonly name: string; readonly description: string },
  ) => void;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

export interface CloudWatch {
  /** Adds the metrics in a line of a function's log; ignores other lines. */
  ingest(logLine: string): void;
  /** Evaluates all alarms of the template. */
  alarms(): ReadonlyArray<AlarmEvaluation & { readonly name: string }>;
}

/**
 * Creates the metrics and alarms of a template, in memory. Alarms on metrics that AWS produces are listed
 * without data. @throws Error for an unsupported property of an alarm on the stack's own metrics.
 */
export function createCloudWatch({ resources, onAlarm, now = Date.now }: CloudWatchOptions): CloudWatch {
  const definitions = readAlarms(resources);
  const watched = definitions.filter((alarm) => 'watched' in alarm);
  const keys = watched.flatMap(({ metrics }) => [...metrics.values()].map(({ key }) => key));
  const longest = Math.max(0, ...watched.map((alarm) => alarm.periodMs * alarm.evaluationPeriods));
  const store = new MetricStore(keys, longest);
  const states = new Map<string, AlarmState>();
  /** States as `onAlarm` has learned them. */
  const reported = new Map<string, AlarmState>();
  const report = (): void => {
    if (!onAlarm) return;
    for (const alarm of watched) {
      const before = reported.get(alarm.name) ?? 'INSUFFICIENT_DATA';
      const evaluation = evaluateAlarm(alarm, store, now(), before);
      reported.set(alarm.name, evaluation.state);
      if (evaluation.state === 'ALARM' && before !== 'ALARM')
        onAlarm({ name: alarm.name, description: alarm.description, ...evaluation });
    }
  };
  return {
    ingest(logLine) {
      const samples = parseEmbeddedMetrics(logLine);
      for (const sample of samples) store.add(sample);
      if (samples.length > 0) report();
    },
    alarms: () =>
      definitions.map((alarm) => {
        if (!('watched' in alarm)) {
          const reason = `The embedded stack does not produce ${alarm.awsMetrics.join(', ')}.`;
          return { name: alarm.name, state: 'INSUFFICIENT_DATA', reason };
        }
        const before = states.get(alarm.name) ?? 'INSUFFICIENT_DATA';
        const evaluation = evaluateAlarm(alarm, store, now(), before);
        states.set(alarm.name, evaluation.state);
        return { name: alarm.name, ...evaluation };
      }),
  };
}
