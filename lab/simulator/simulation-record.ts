import type { RunOutcome } from './run-plan.ts';
import type { CallFault } from './world/call-faults.ts';

type Numbers = { readonly [name: string]: number };

export interface SimulationRecord {
  readonly runs: number;
  readonly events: number;
  /** Calls from one part to another: each may go wrong. */
  readonly calls: number;
  /** Calls that went wrong, by how; those that an outage refused not counted. */
  readonly faults: { readonly [fault in CallFault]?: number };
  readonly outages: number;
  readonly power_cuts: number;
  /** Batches of a stream that came twice. */
  readonly redelivered: number;
  readonly virtual_days: number;
  readonly tasks: number;
  readonly boxes: number;
  /** Writes of tasks, and pushes, that were looked at when they happened. */
  readonly writes: number;
  readonly pushes: number;
  /** Branches in the repository at the end. */
  readonly delivered: number;
  readonly by_status: Numbers;
  /** Broken promises by name: how many runs broke them. */
  readonly broken: Numbers;
  /** Of all processes together. */
  readonly cpu_seconds: number;
}

const EMPTY: SimulationRecord = {
  runs: 0,
  events: 0,
  calls: 0,
  faults: {},
  outages: 0,
  power_cuts: 0,
  redelivered: 0,
  virtual_days: 0,
  tasks: 0,
  boxes: 0,
  writes: 0,
  pushes: 0,
  delivered: 0,
  by_status: {},
  broken: {},
  cpu_seconds: 0,
};

function plus<T extends number | Numbers>(one: T, other: T): T {
  if (typeof one === 'number') return (one + (other as number)) as T;
  const sum: { [name: string]: number } = { ...one };
  for (const [name, value] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + value;
  return sum as T;
}

/** What several records come to. */
export const sumRecords = (records: readonly SimulationRecord[]): SimulationRecord =>
  records.reduce(
    (sum, record) =>
      Object.fromEntries(
        (Object.keys(EMPTY) as (keyof SimulationRecord)[]).map((name) => [
          name,
          plus<number | Numbers>(sum[name], record[name]),
        ]),
      ) as unknown as SimulationRecord,
    EMPTY,
  );

/** One run. CPU time is that of the process since `started`. */
export const createRecord = (outcome: RunOutcome): SimulationRecord => ({
  ...EMPTY,
  runs: 1,
  events: outcome.events,
  calls: outcome.calls,
  faults: outcome.faults,
  outages: outcome.outages,
  power_cuts: outcome.powerCuts,
  redelivered: outcome.redelivered,
  virtual_days: outcome.seconds / 86_400,
  tasks: outcome.tasks,
  boxes: outcome.boxes,
  writes: outcome.writes,
  pushes: outcome.pushes,
  delivered: outcome.delivered,
  by_status: outcome.statuses,
  broken: Object.fromEntries(outcome.violations.map(({ invariant }) => [invariant, 1])),
});

export const countFaults = ({ faults }: SimulationRecord): number =>
  Object.values(faults).reduce((sum, each) => sum + each, 0);
