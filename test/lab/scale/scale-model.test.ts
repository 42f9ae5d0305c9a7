import { expect, test } from 'vitest';
import { AWS_QUOTAS } from '../../../lab/scale/aws-quotas.ts';
import {
  type CountedCalls,
  countCallsPerTask,
  DEFAULT_WORKLOAD_PROFILE,
  estimateScale,
} from '../../../lab/scale/scale-model.ts';
import { renderScaleReport } from '../../../lab/scale/scale-report.ts';

const COUNTED: CountedCalls = {
  task: {
    ecs: { RunTask: 3 },
    states: { StartExecution: 5, ExpressExecution: 6 },
    Lambda: { Invocations: 30, BilledMilliseconds: 300, BilledGigabyteSeconds: 0.15 },
    DynamoDB: { WriteUnits: 40, ReadUnits: 20 },
    'HTTP API': { Requests: 5 },
  },
  heartbeat: { 'HTTP API': { Requests: 1 }, DynamoDB: { WriteUnits: 2 } },
};
const demand = (perDay: number, name: keyof typeof AWS_QUOTAS) =>
  estimateScale(perDay, COUNTED).demands.find(({ quota }) => quota === AWS_QUOTAS[name]);

test('a task counts with the heartbeats of its agent', () => {
  const beats = DEFAULT_WORKLOAD_PROFILE.containerSeconds.agent / DEFAULT_WORKLOAD_PROFILE.heartbeatSeconds;
  expect(countCallsPerTask(COUNTED, DEFAULT_WORKLOAD_PROFILE)).toMatchObject({
    'HTTP API': { Requests: 5 + beats },
    DynamoDB: { WriteUnits: 40 + 2 * beats, ReadUnits: 20 },
    ecs: { RunTask: 3 },
  });
});

test('rates are spread over a day, and the busiest moment is a multiple', () => {
  expect(demand(86_400, 'runTask')).toMatchObject({ average: 3, peak: 3 * DEFAULT_WORKLOAD_PROFILE.peak });
});

test('what is held grows with the time that it is held', () => {
  // One task a second: so many vCPUs as a task takes seconds of them. Delivery takes none.
  expect(demand(86_400, 'fargateVcpus')?.average).toBe(600 + 180);
  expect(demand(86_400, 'lambda')?.average).toBeCloseTo(0.3 * DEFAULT_WORKLOAD_PROFILE.lambdaSlowdown);
});

test('the fullest quota comes first, and the page names it with what raises it', () => {
  const scale = estimateScale(100_000, COUNTED);
  const shares = scale.demands.map(({ share }) => share);
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
  const page = renderScaleReport(COUNTED, [scale]);
  expect(page).toContain('### 100,000 tasks a day');
  expect(page).toContain(`First limit: **${AWS_QUOTAS.fargateVcpus.name}**`);
});

test('ten times the tasks ask ten times as much, and cost ten times as much', () => {
  const [small, large] = [estimateScale(1_000, COUNTED), estimateScale(10_000, COUNTED)];
  expect(large.usd.control).toBeCloseTo(10 * small.usd.control);
  expect(large.usd.boxes).toBeCloseTo(10 * small.usd.boxes);
  expect(large.demands.map(({ share }) => share / 10)).toEqual(
    small.demands.map(({ share }) => expect.closeTo(share)),
  );
});

test('every quota has a source, and every counted one a call that is counted', () => {
  for (const quota of Object.values(AWS_QUOTAS)) {
    expect(quota.source).toMatch(/^https:\/\/docs\.aws\.amazon\.com\//);
    expect(quota.counts.length > 0).toBe(quota.unit === 'a second');
  }
});
