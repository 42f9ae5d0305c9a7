import { describe, expect, it } from 'vitest';
import { createCloudWatch } from '../../../local/cloudwatch/index.ts';
import { METRIC_NAMES } from '../../../shared/contract/resource-names.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-01-02T12:00:30Z');
const dimensions = [{ Name: METRIC_NAMES.dimension, Value: METRIC_NAMES.service }];

const stat = (Id: string, MetricName: string, more: object = {}) => ({
  Id,
  ReturnData: false,
  MetricStat: {
    Metric: { Namespace: METRIC_NAMES.namespace, MetricName, Dimensions: dimensions },
    Period: 86_400,
    Stat: 'Sum',
    ...more,
  },
});
const alarm = (properties: object) => ({
  logicalId: 'Alarm',
  type: 'AWS::CloudWatch::Alarm',
  properties: { AlarmName: 'alarm', EvaluationPeriods: 1, ...properties },
  metadata: {},
});
const unverifiedRatio = alarm({
  ComparisonOperator: 'GreaterThanThreshold',
  Threshold: 0.3,
  TreatMissingData: 'notBreaching',
  Metrics: [
    { Id: 'ratio', Expression: 'IF(total >= 3, unverified/total)' },
    stat('total', METRIC_NAMES.completions),
    stat('unverified', METRIC_NAMES.unverifiedCompletions),
  ],
});
const emf = (values: Readonly<Record<string, number | number[]>>, time = START) =>
  JSON.stringify({
    _aws: {
      Timestamp: time,
      CloudWatchMetrics: [
        {
          Namespace: METRIC_NAMES.namespace,
          Dimensions: [[METRIC_NAMES.dimension]],
          Metrics: Object.keys(values).map((Name) => ({ Name, Unit: 'Count' })),
        },
      ],
    },
    [METRIC_NAMES.dimension]: METRIC_NAMES.service,
    ...values,
  });

function watch(resource: ReturnType<typeof alarm>) {
  let now = START;
  const cloudWatch = createCloudWatch({ resources: [resource], now: () => now });
  return {
    emit: (values: Parameters<typeof emf>[0], time = now) => cloudWatch.ingest(emf(values, time)),
    ingest: cloudWatch.ingest,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    state: () => cloudWatch.alarms()[0]?.state,
    reason: () => cloudWatch.alarms()[0]?.reason,
  };
}

describe('the change of an alarm', () => {
  it('is told once, when it begins', () => {
    const told: string[] = [];
    const cloudWatch = createCloudWatch({
      resources: [unverifiedRatio],
      now: () => START,
      onAlarm: ({ name, state }) => told.push(`${name} ${state}`),
    });
    const emit = (completions: number, unverified: number): void =>
      cloudWatch.ingest(
        emf({ [METRIC_NAMES.completions]: completions, [METRIC_NAMES.unverifiedCompletions]: unverified }),
      );
    emit(10, 0);
    cloudWatch.ingest('no metric');
    expect(told).toEqual([]);
    emit(1, 9);
    emit(1, 1);
    expect(told).toEqual([expect.stringMatching(/ ALARM$/)]);
  });
});

describe('the unverified ratio', () => {
  it.each([
    [3, 10, 'OK'],
    [4, 10, 'ALARM'],
    [1, 1, 'OK'],
    [2, 2, 'OK'],
    [3, 3, 'ALARM'],
    [0, 3, 'OK'],
    [1, 3, 'ALARM'],
    [0, 0, 'OK'],
  ])('of %i in %i completions is %s', (unverified, total, expected) => {
    const { emit, state } = watch(unverifiedRatio);
    for (let count = 0; count < total; count++) {
      const isUnverified = Number(count < unverified);
      emit({ [METRIC_NAMES.completions]: 1, [METRIC_NAMES.unverifiedCompletions]: isUnverified });
    }
    expect(state()).toBe(expected);
  });

  it('counts a day, and no longer', () => {
    const { emit, state, pass } = watch(unverifiedRatio);
    emit({ [METRIC_NAMES.completions]: 4, [METRIC_NAMES.unverifiedCompletions]: 4 });
    expect(state()).toBe('ALARM');
    pass(23 * HOUR);
    emit({ [METRIC_NAMES.completions]: 1, [METRIC_NAMES.unverifiedCompletions]: 0 });
    expect(state()).toBe('ALARM');
    pass(HOUR);
    expect(state()).toBe('OK');
  });

  it('says why it is in its state', () => {
    const { emit, reason } = watch(unverifiedRatio);
    emit({ [METRIC_NAMES.completions]: 10, [METRIC_NAMES.unverifiedCompletions]: 4 });
    expect(reason()).toBe('1 of the last 1 periods [0.4] breach GreaterThanThreshold 0.3; 1 are needed.');
  });
});

describe('lines of log', () => {
  it('may have a prefix, list several values, or be no metrics at all', () => {
    const { ingest, state } = watch(unverifiedRatio);
    ingest('START RequestId: 1');
    ingest('{"_aws": broken');
    ingest('{"_aws":{"CloudWatchMetrics":"nothing"}}');
    ingest('{"level":"INFO","message":"mentions \\"_aws\\" only"}');
    expect(state()).toBe('OK');
    ingest(`2026-01-02T12:00:30.000Z\tid\tINFO\t${emf({ [METRIC_NAMES.completions]: [2, 3] })}`);
    ingest(emf({ [METRIC_NAMES.unverifiedCompletions]: [1, 1] }));
    expect(state()).toBe('ALARM');
  });

  it('of other dimensions are other metrics', () => {
    const { ingest, state } = watch(unverifiedRatio);
    const line = emf({ [METRIC_NAMES.completions]: 9, [METRIC_NAMES.unverifiedCompletions]: 9 });
    ingest(
      line.replace(
        `"${METRIC_NAMES.dimension}":"${METRIC_NAMES.service}"`,
        `"${METRIC_NAMES.dimension}":"other"`,
      ),
    );
    expect(state()).toBe('OK');
  });
});

describe('an alarm on one metric', () => {
  const simple = (properties: object) =>
    alarm({
      Namespace: METRIC_NAMES.namespace,
      MetricName: METRIC_NAMES.failures,
      Dimensions: dimensions,
      Statistic: 'Sum',
      Period: 60,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 5,
      ...properties,
    });

  it.each([
    ['Sum', 5, 'ALARM'],
    ['SampleCount', 3, 'ALARM'],
    ['SampleCount', 4, 'OK'],
    ['Average', 2, 'OK'],
    ['Average', 1.5, 'ALARM'],
    ['Maximum', 3, 'ALARM'],
    ['Minimum', 1, 'ALARM'],
    ['Minimum', 1.5, 'OK'],
  ])('reads its %s against %d: %s', (Statistic, Threshold, expected) => {
    const { emit, state } = watch(simple({ Statistic, Threshold }));
    for (const value of [1, 1, 3]) emit({ [METRIC_NAMES.failures]: value });
    expect(state()).toBe(expected);
  });

  it.each([
    ['GreaterThanThreshold', 5, 'OK'],
    ['GreaterThanOrEqualToThreshold', 5, 'ALARM'],
    ['LessThanThreshold', 5, 'OK'],
    ['LessThanOrEqualToThreshold', 5, 'ALARM'],
    ['LessThanThreshold', 4, 'ALARM'],
  ])('compares by %s: %d is %s', (ComparisonOperator, value, expected) => {
    const { emit, state } = watch(simple({ ComparisonOperator }));
    emit({ [METRIC_NAMES.failures]: value });
    expect(state()).toBe(expected);
  });

  it.each([
    ['missing', 'INSUFFICIENT_DATA'],
    ['notBreaching', 'OK'],
    ['breaching', 'ALARM'],
    ['ignore', 'INSUFFICIENT_DATA'],
  ])('without data, treated as %s, is %s', (TreatMissingData, expected) => {
    expect(watch(simple({ TreatMissingData })).state()).toBe(expected);
  });

  it('keeps its state without data when that is ignored', () => {
    const { emit, state, pass } = watch(simple({ TreatMissingData: 'ignore' }));
    emit({ [METRIC_NAMES.failures]: 9 });
    expect(state()).toBe('ALARM');
    pass(HOUR);
    expect(state()).toBe('ALARM');
    emit({ [METRIC_NAMES.failures]: 1 });
    expect(state()).toBe('OK');
  });

  it('needs M of its N periods to breach', () => {
    const { emit, state, pass } = watch(simple({ EvaluationPeriods: 3, DatapointsToAlarm: 2 }));
    emit({ [METRIC_NAMES.failures]: 9 });
    expect(state()).toBe('OK');
    pass(60_000);
    emit({ [METRIC_NAMES.failures]: 1 });
    pass(60_000);
    emit({ [METRIC_NAMES.failures]: 9 });
    expect(state()).toBe('ALARM');
    pass(60_000);
    expect(state()).toBe('OK');
  });
});

describe('an alarm on a metric of AWS', () => {
  it.each<[string, object]>([
    ['by itself', { Namespace: 'AWS/SQS', MetricName: 'Age', Statistic: 'Maximum', Period: 60 }],
    [
      'within an expression, whatever that is',
      {
        Metrics: [
          { Id: 'e', Expression: 'RATE(a)' },
          { Id: 'a', MetricStat: { Metric: { Namespace: 'AWS/SQS', MetricName: 'Age' } } },
        ],
      },
    ],
  ])('%s is listed without data, and says so', (_name, properties) => {
    const resource = alarm({ ComparisonOperator: 'GreaterThanThreshold', Threshold: 1, ...properties });
    expect(createCloudWatch({ resources: [resource] }).alarms()).toEqual([
      {
        name: 'alarm',
        state: 'INSUFFICIENT_DATA',
        reason: 'The embedded stack does not produce AWS/SQS Age.',
      },
    ]);
  });
});

describe('an alarm is refused at start', () => {
  const math = (Expression: string, ...others: object[]) => ({
    Metrics: [{ Id: 'e', Expression }, stat('a', 'A'), ...others],
  });
  it.each<[string, object, RegExp]>([
    ['for an unknown function', math('RATE(a)'), /Alarm Alarm.*the function RATE/],
    ['for an unknown id', math('a + b'), /there is no metric b/],
    [
      'for expressions in a circle',
      math('f', { Id: 'f', Expression: 'e', ReturnData: false }),
      /e needs f needs e/,
    ],
    ['for an unknown statistic', math('a + b', stat('b', 'B', { Stat: 'p99' })), /statistic p99/],
    ['for different periods', math('a + b', stat('b', 'B', { Period: 60 })), /same period/],
    ['for two results', math('a', { Id: 'f', Expression: 'a' }), /exactly one query/],
    [
      'for a band',
      { ...math('a'), ComparisonOperator: 'GreaterThanUpperThreshold' },
      /GreaterThanUpperThreshold/,
    ],
    ['for an unknown treatment', { ...math('a'), TreatMissingData: 'guess' }, /TreatMissingData guess/],
  ])('%s', (_name, properties, message) => {
    const resource = alarm({ ComparisonOperator: 'GreaterThanThreshold', Threshold: 1, ...properties });
    expect(() => createCloudWatch({ resources: [resource] })).toThrow(message);
  });
});
