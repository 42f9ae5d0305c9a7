import type { QuotaHit } from '../simulator/engines/service-quotas.ts';
import { AWS_QUOTAS } from './aws-quotas.ts';
import { DEFAULT_WORKLOAD_PROFILE } from './scale-model.ts';

/** What came of it: the real functions on virtual time, with the quotas as token buckets. */
export interface BusyDayResult {
  readonly perDay: number;
  readonly vcpus: number;
  /** Seconds in which tasks came, and how many did. */
  readonly window: number;
  readonly tasks: number;
  readonly done: number;
  readonly failed: number;
  /** Seconds from submission to the end of those that were done, and of them what the work itself takes. */
  readonly taskSeconds: { readonly p50: number; readonly p99: number; readonly work: number } | null;
  readonly quotaHits: readonly (Omit<QuotaHit, 'name'> & { readonly name: string; readonly limit: number })[];
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
      httpApi: rate(AWS_QUOTAS.httpApi),
      startExecution: rate(AWS_QUOTAS.startExecution),
      runTask: rate(AWS_QUOTAS.runTask),
      launches: rate(AWS_QUOTAS.launches),
      s3Writes: rate(AWS_QUOTAS.s3Writes),
      s3Reads: rate(AWS_QUOTAS.s3Reads),
      itemWrites: rate({ limit: PARTITION.writes }),
      itemReads: rate({ limit: PARTITION.reads }),
    },
    lambdas: AWS_QUOTAS.lambda.limit,
  };
};

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;

/**
 * Lets tasks come for `window` seconds at the busiest moment of such a day, and lives until they are all at an end. One process has one number of vCPUs: the
 * environment is read when functions are loaded.
 */
export async function simulateBusyDay(perDay: number, vcpus: number, window: number): Promise<BusyDayResult> {
  process.env['SIMULATED_VCPUS'] = String(vcpus);
  const [{ installSdkClients, routeSdkCalls }, { installVirtualGlobals, waitUntilSettled, setVirtualTime }] =
    await Promise.all([
      import('../simulator/engines/sdk-clients.ts'),
      import('../simulator/world/virtual-globals.ts'),
    ]);
  installVirtualGlobals();
  installSdkClients();
  const { Simulation } = await import('../simulator/simulation.ts');
  const { runContainerProgram } = await import('../simulator/actors/container-program.ts');
  const { submitPlannedTask } = await import('../simulator/actors/user-actions.ts');
  const { checkTaskWrite } = await import('../simulator/oracle/task-writes.ts');
  const perSecond = (perDay * DEFAULT_WORKLOAD_PROFILE.peak) / 86_400;
  const count = Math.max(1, Math.round(perSecond * window));
  const work = {
    seconds: DEFAULT_WORKLOAD_PROFILE.containerSeconds.agent,
    quality: 'good',
    reportedStatus: 'completed',
    attack: 'none',
    heartbeats: true,
    uploads: true,
    tokens: 0,
    approvalRequest: null,
    approvalDecisions: [],
    exam: 'none',
    examSeconds: 0,
    challengers: ['nothing'],
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
    resubmittedAfter: null,
    attempts: [work],
    pushRefused: false,
    lostDeliveries: [],
    large: false,
    fixUps: 0,
    challenge: 'off',
    asksModel: false,
    dependencyPolicy: 'wait',
    requestMode: null,
    requestDecisions: [],
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
    resolvesPending: false,
    lostStarts: 0,
    doubleStarts: 0,
    diedStarts: 0,
    seed: 1,
  };
  setVirtualTime(null, '');
  const of = new Simulation(plan, false, runContainerProgram, limits());
  const { clock } = of.world;
  setVirtualTime(clock, '1');
  try {
    const [start, ended] = [clock.now, new Map<string, { status: string; at: number }>()];
    of.cloud.table.onWrite = (write) => {
      checkTaskWrite(of, write);
      const [id, status] = [write.after?.['id'], String(write.after?.['status'])];
      if (typeof id === 'string' && ['done', 'failed', 'cancelled'].includes(status) && !ended.has(id))
        ended.set(id, { status, at: clock.now });
      for (const reader of of.cloud.streamReaders) reader.offer(write);
    };
    for (let n = 0; n < count; n++)
      clock.schedule(
        (n / perSecond) * 1_000,
        () => void submitPlannedTask(of, { ...task, submittedAt: 0 }, n).catch(() => {}),
      );
    const tick = (): void => {
      void of.cloud.invoke('reconcile', { kind: 'schedule' }).catch(() => {});
      clock.schedule(60_000, tick, true);
    };
    clock.schedule(60_000, tick, true);
    const last = start + HOURS * 3_600_000;
    while (ended.size < count && clock.now < last && of.world.violations.length === 0 && clock.step())
      await waitUntilSettled();
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
      taskSeconds:
        took.length > 0 ? { p50: quantile(took, 0.5), p99: quantile(took, 0.99), work: work.seconds } : null,
      quotaHits: quotas.listHits().map((each) => ({ ...each, limit: rates[each.name].perSecond })),
      lambdas: { most: quotas.mostRunning, refused: quotas.refusedRunning },
      conductorWaits: of.cloud.streamReaders[0]?.longestBacklog ?? 0,
      deadLetters: [...of.cloud.queues.values()].reduce((sum, each) => sum + each.deadLetters.length, 0),
      broken: of.world.violations.map(({ invariant, message }) => `${invariant}: ${message}`),
    };
  } finally {
    setVirtualTime(null, '');
    routeSdkCalls(null);
  }
}
