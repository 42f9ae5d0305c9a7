import { bill, type Snapshot, total } from '../bench/cost.ts';
import { FARGATE_MINIMUM_S, PRICES } from '../bench/prices.ts';
import { QUOTAS, type Quota, type QuotaName } from './quotas.ts';

/** What was counted on the embedded stack. */
export interface Counted {
  /** Of one task that is delivered at its first attempt. */
  readonly task: Snapshot;
  /** Of one heartbeat. */
  readonly beat: Snapshot;
}

/** What cannot be counted here: how long work takes, and when it comes. */
export interface Profile {
  /** Seconds that each box runs, with its start. */
  readonly boxSeconds: Readonly<Record<'agent' | 'gates', number>>;
  /** Busiest moment of the day, as a multiple of its average. */
  readonly peak: number;
  /** How much longer a function takes on Lambda at 512 MB, a third of a vCPU, than on the machine that counted. */
  readonly lambdaSlower: number;
  readonly heartbeatSeconds: number;
}

/** docs/deploy.md prices the same task. */
export const PROFILE: Profile = {
  boxSeconds: { agent: 600, gates: 180 },
  peak: 3,
  lambdaSlower: 4,
  heartbeatSeconds: 30,
};

const BOX_VCPU = { agent: 1, gates: 1 } as const;
const BOX_GB = { agent: 4, gates: 4 } as const;
const KINDS = ['agent', 'gates'] as const;
const DAY_S = 86_400;

export interface Demand {
  readonly quota: Quota;
  /** Averaged over the day, and at its busiest. */
  readonly average: number;
  readonly peak: number;
  /** Of the limit, at the busiest moment. */
  readonly share: number;
}

export interface Scale {
  readonly perDay: number;
  /** The fullest first. */
  readonly demands: readonly Demand[];
  readonly usd: { readonly control: number; readonly boxes: number };
}

const amount = (snapshot: Snapshot, service: string, operation: string): number =>
  snapshot[service]?.[operation] ?? 0;

/** Calls of all that happens to a task, its heartbeats with it. */
export function perTask({ task, beat }: Counted, { boxSeconds, heartbeatSeconds }: Profile): Snapshot {
  const beats = Math.floor(boxSeconds.agent / heartbeatSeconds);
  const services = new Set([...Object.keys(task), ...Object.keys(beat)]);
  const merged = [...services].map((service) => {
    const operations = new Set([...Object.keys(task[service] ?? {}), ...Object.keys(beat[service] ?? {})]);
    const each = [...operations].map((operation) => [
      operation,
      amount(task, service, operation) + beats * amount(beat, service, operation),
    ]);
    return [service, Object.fromEntries(each)];
  });
  return Object.fromEntries(merged) as Snapshot;
}

/** Dollars of the boxes of one task. */
const boxesUsd = ({ boxSeconds }: Profile): number =>
  KINDS.reduce((sum, kind) => {
    const hours = Math.max(boxSeconds[kind], FARGATE_MINIMUM_S) / 3_600;
    return (
      sum +
      hours * (BOX_VCPU[kind] * PRICES.fargateVcpuHour.usd + BOX_GB[kind] * PRICES.fargateGigabyteHour.usd)
    );
  }, 0);

/** Seconds of a task for which each thing is held. */
function heldSeconds(name: QuotaName, snapshot: Snapshot, profile: Profile): number {
  const seconds = profile.boxSeconds;
  switch (name) {
    case 'fargateVcpus':
      return KINDS.reduce((sum, kind) => sum + seconds[kind] * BOX_VCPU[kind], 0);
    case 'lambda':
      return (amount(snapshot, 'Lambda', 'BilledMilliseconds') / 1_000) * profile.lambdaSlower;
    default:
      throw new Error(`${name} is not held`);
  }
}

/** What so many tasks a day ask of each quota, and cost. */
export function scaleOf(perDay: number, counted: Counted, profile: Profile = PROFILE): Scale {
  const snapshot = perTask(counted, profile);
  const demands = (Object.entries(QUOTAS) as [QuotaName, Quota][]).map(([name, quota]): Demand => {
    const ofTask =
      quota.unit === 'at a time'
        ? heldSeconds(name, snapshot, profile)
        : quota.counts.reduce((sum, [service, operation]) => sum + amount(snapshot, service, operation), 0);
    const average = (perDay * ofTask) / DAY_S;
    const peak = average * profile.peak;
    return { quota, average, peak, share: peak / quota.limit };
  });
  return {
    perDay,
    demands: demands.sort((a, b) => b.share - a.share),
    usd: { control: total(bill(snapshot)) * perDay, boxes: boxesUsd(profile) * perDay },
  };
}
