import { type CallCounts, computeBill, sumBill } from '../bench/aws-bill.ts';
import { AWS_PRICES, FARGATE_MINIMUM_SECONDS } from '../bench/aws-prices.ts';
import { AWS_QUOTAS, type AwsQuota, type QuotaName } from './aws-quotas.ts';

/** What was counted on the embedded stack. */
export interface CountedCalls {
  /** Of one task that is delivered at its first attempt. */
  readonly task: CallCounts;
  /** Of one heartbeat. */
  readonly heartbeat: CallCounts;
}

/** What cannot be counted here: how long work takes, and when it comes. */
export interface WorkloadProfile {
  /** Seconds that each box runs, with its start. */
  readonly containerSeconds: Readonly<Record<'agent' | 'gates', number>>;
  /** Busiest moment of the day, as a multiple of its average. */
  readonly peak: number;
  /** How much longer a function takes on Lambda at 512 MB, a third of a vCPU, than on the machine that counted. */
  readonly lambdaSlowdown: number;
  readonly heartbeatSeconds: number;
}

/** docs/how-to/deploy.md prices the same task. */
export const DEFAULT_WORKLOAD_PROFILE: WorkloadProfile = {
  containerSeconds: { agent: 600, gates: 180 },
  peak: 3,
  lambdaSlowdown: 4,
  heartbeatSeconds: 30,
};

const BOX_VCPU = { agent: 1, gates: 1 } as const;
const BOX_GB = { agent: 4, gates: 4 } as const;
const KINDS = ['agent', 'gates'] as const;
const DAY_S = 86_400;

export interface QuotaDemand {
  readonly quota: AwsQuota;
  /** Averaged over the day, and at its busiest. */
  readonly average: number;
  readonly peak: number;
  /** Of the limit, at the busiest moment. */
  readonly share: number;
}

export interface ScaleEstimate {
  readonly perDay: number;
  /** The fullest first. */
  readonly demands: readonly QuotaDemand[];
  readonly usd: { readonly control: number; readonly boxes: number };
}

const amount = (snapshot: CallCounts, service: string, operation: string): number =>
  snapshot[service]?.[operation] ?? 0;

/** Calls of all that happens to a task, its heartbeats with it. */
export function countCallsPerTask(
  { task, heartbeat }: CountedCalls,
  { containerSeconds, heartbeatSeconds }: WorkloadProfile,
): CallCounts {
  const beats = Math.floor(containerSeconds.agent / heartbeatSeconds);
  const services = new Set([...Object.keys(task), ...Object.keys(heartbeat)]);
  const merged = [...services].map((service) => {
    const operations = new Set([
      ...Object.keys(task[service] ?? {}),
      ...Object.keys(heartbeat[service] ?? {}),
    ]);
    const each = [...operations].map((operation) => [
      operation,
      amount(task, service, operation) + beats * amount(heartbeat, service, operation),
    ]);
    return [service, Object.fromEntries(each)];
  });
  return Object.fromEntries(merged) as CallCounts;
}

/** Dollars of the boxes of one task. */
const boxesUsd = ({ containerSeconds }: WorkloadProfile): number =>
  KINDS.reduce((sum, kind) => {
    const hours = Math.max(containerSeconds[kind], FARGATE_MINIMUM_SECONDS) / 3_600;
    return (
      sum +
      hours *
        (BOX_VCPU[kind] * AWS_PRICES.fargateVcpuHour.usd + BOX_GB[kind] * AWS_PRICES.fargateGigabyteHour.usd)
    );
  }, 0);

/** Seconds of a task for which each thing is held. */
function heldSeconds(name: QuotaName, snapshot: CallCounts, profile: WorkloadProfile): number {
  const seconds = profile.containerSeconds;
  switch (name) {
    case 'fargateVcpus':
      return KINDS.reduce((sum, kind) => sum + seconds[kind] * BOX_VCPU[kind], 0);
    case 'lambda':
      return (amount(snapshot, 'Lambda', 'BilledMilliseconds') / 1_000) * profile.lambdaSlowdown;
    default:
      throw new Error(`${name} is not held`);
  }
}

/** What so many tasks a day ask of each quota, and cost. */
export function estimateScale(
  perDay: number,
  counted: CountedCalls,
  profile: WorkloadProfile = DEFAULT_WORKLOAD_PROFILE,
): ScaleEstimate {
  const snapshot = countCallsPerTask(counted, profile);
  const demands = (Object.entries(AWS_QUOTAS) as [QuotaName, AwsQuota][]).map(
    ([name, quota]): QuotaDemand => {
      const ofTask =
        quota.unit === 'at a time'
          ? heldSeconds(name, snapshot, profile)
          : quota.counts.reduce((sum, [service, operation]) => sum + amount(snapshot, service, operation), 0);
      const average = (perDay * ofTask) / DAY_S;
      const peak = average * profile.peak;
      return { quota, average, peak, share: peak / quota.limit };
    },
  );
  return {
    perDay,
    demands: demands.sort((a, b) => b.share - a.share),
    usd: { control: sumBill(computeBill(snapshot)) * perDay, boxes: boxesUsd(profile) * perDay },
  };
}
