import type { Met } from '../simulator/engines/quotas.ts';
import { PROFILE } from './model.ts';
import { QUOTAS } from './quotas.ts';

/** What came of it: the real functions on virtual time, with the quotas as token buckets. */
export interface BusyDay {
  readonly perDay: number;
  readonly vcpus: number;
  /** Seconds in which tasks came, and how many did. */
  readonly window: number;
  readonly tasks: number;
  readonly done: number;
  readonly failed: number;
  /** Seconds from submission to the end of those that were done, and of them what the work itself takes. */
  readonly took: { readonly p50: number; readonly p99: number; readonly work: number } | null;
  readonly met: readonly (Omit<Met, 'name'> & { readonly name: string; readonly limit: number })[];
  readonly lambdas: { readonly most: number; readonly refused: number };
  /** Writes that waited for the conductor, at the most, in one of its 40 lanes. */
  readonly conductorWaits: number;
  readonly deadLetters: number;
  readonly broken: readonly string[];
}

/** A partition of DynamoDB, whatever the quota of its table is. */
const PARTITION = { writes: 1_000, reads: 3_000 };
/** Virtual hours after which it is over, whatever still waits. */
const HOURS = 3;

const limits = () => {
  const rate = ({ limit, burst = limit }: { limit: number; burst?: number }) => ({ perSecond: limit, burst });
  return {
    rates: {
      httpApi: rate(QUOTAS.httpApi),
      startExecution: rate(QUOTAS.startExecution),
      runTask: rate(QUOTAS.runTask),
      launches: rate(QUOTAS.launches),
      s3Writes: rate(QUOTAS.s3Writes),
      s3Reads: rate(QUOTAS.s3Reads),
      itemWrites: rate({ limit: PARTITION.writes }),
      itemReads: rate({ limit: PARTITION.reads }),
    },
    lambdas: QUOTAS.lambda.limit,
  };
};

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;

/**
 * Lets tasks come for `window` seconds at the busiest moment of such a day, and lives until they are all at an end. One process has one number of vCPUs: the
 * environment is read when functions are loaded.
 */
export async function busyDay(perDay: number, vcpus: number, window: number): Promise<BusyDay> {
  process.env['SIMULATED_VCPUS'] = String(vcpus);
  const [{ installClients, useServices }, { installGlobals, settled, useTime }] = await Promise.all([
    import('../simulator/engines/clients.ts'),
    import('../simulator/world/globals.ts'),
  ]);
  installGlobals();
  installClients();
  const { Simulation } = await import('../simulator/simulation.ts');
  const { boxProgram } = await import('../simulator/actors/boxes.ts');
  const { submit } = await import('../simulator/actors/people.ts');
  const { checkWrite } = await import('../simulator/oracle/writes.ts');
  const perSecond = (perDay * PROFILE.peak) / 86_400;
  const count = Math.max(1, Math.round(perSecond * window));
  const work = {
    seconds: PROFILE.boxSeconds.agent,
    quality: 'good',
    says: 'completed',
    trick: 'none',
    heartbeats: true,
    uploads: true,
    tokens: 0,
    asks: null,
    leave: [],
  } as const;
  const task = {
    runner: 'managed',
    dependsOn: [],
    files: [],
    priority: 2,
    maxAttempts: 3,
    maxRetries: 1,
    maxCost: null,
    deliverUnverified: false,
    model: null,
    again: null,
    works: [work],
    pushRefused: false,
    lostDeliveries: [],
    large: false,
    fixUps: 0,
    judged: false,
    partial: 'wait',
    requested: null,
    said: [],
    queued: false,
  } as const;
  const plan = {
    tasks: [],
    actions: [],
    faults: [],
    outages: [],
    powerCuts: [],
    mainMoves: [],
    latency: 40,
    indexLag: 100,
    redelivery: 0,
    tidy: false,
    lostStarts: 0,
    doubleStarts: 0,
    cutShort: 0,
    seed: 1,
  };
  useTime(null, '');
  const of = new Simulation(plan, false, boxProgram, limits());
  const { clock } = of.world;
  useTime(clock, '1');
  try {
    const [start, ended] = [clock.now, new Map<string, { status: string; at: number }>()];
    of.cloud.table.onWrite = (write) => {
      checkWrite(of, write);
      const [id, status] = [write.after?.['id'], String(write.after?.['status'])];
      if (typeof id === 'string' && ['done', 'failed', 'cancelled'].includes(status) && !ended.has(id))
        ended.set(id, { status, at: clock.now });
      for (const reader of of.cloud.readers) reader.offer(write);
    };
    for (let n = 0; n < count; n++)
      clock.after((n / perSecond) * 1_000, () => void submit(of, { ...task, at: 0 }, n).catch(() => {}));
    const tick = (): void => {
      void of.cloud.invoke('reconcile', { kind: 'schedule' }).catch(() => {});
      clock.after(60_000, tick, true);
    };
    clock.after(60_000, tick, true);
    const last = start + HOURS * 3_600_000;
    while (ended.size < count && clock.now < last && of.world.violations.length === 0 && clock.step())
      await settled();
    const all = [...ended.entries()];
    const took = all
      .filter(([, { status }]) => status === 'done')
      .map(([id, { at }]) => (at - (of.knowledge.submittedAt.get(id) ?? at)) / 1_000)
      .toSorted((a, b) => a - b);
    const { quotas } = of.cloud;
    const { rates } = limits();
    return {
      perDay,
      vcpus,
      window,
      tasks: count,
      done: took.length,
      failed: all.length - took.length,
      took:
        took.length > 0 ? { p50: quantile(took, 0.5), p99: quantile(took, 0.99), work: work.seconds } : null,
      met: quotas.met().map((each) => ({ ...each, limit: rates[each.name].perSecond })),
      lambdas: { most: quotas.mostRunning, refused: quotas.refusedRunning },
      conductorWaits: of.cloud.readers[0]?.longest ?? 0,
      deadLetters: [...of.cloud.queues.values()].reduce((sum, each) => sum + each.deadLetters.length, 0),
      broken: of.world.violations.map(({ invariant, message }) => `${invariant}: ${message}`),
    };
  } finally {
    useTime(null, '');
    useServices(null);
  }
}
