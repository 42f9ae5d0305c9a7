import type { JanitorExecutionInput } from '../../shared/contract/messages/step-messages.ts';
import { TABLE_ITEM_KEY_PREFIXES } from '../../shared/contract/resource-names.ts';
import { runContainerProgram } from './actors/container-program.ts';
import {
  claimAsOutsideAgent,
  performActionOnTask,
  performPlannedAction,
  submitPlannedTask,
} from './actors/user-actions.ts';
import { routeSdkCalls } from './engines/sdk-clients.ts';
import { findStuckRequests } from './oracle/approvals.ts';
import { checkFinalState } from './oracle/final-state.ts';
import { checkLedger } from './oracle/ledger.ts';
import { checkModelCalls } from './oracle/model-calls.ts';
import { findStuckTasks, listStoredTasks } from './oracle/stuck-tasks.ts';
import { checkTaskWrite } from './oracle/task-writes.ts';
import { Simulation } from './simulation.ts';
import { HORIZON_SECONDS, type SimulationPlan } from './simulation-plan.ts';
import type { CallFault } from './world/call-faults.ts';
import type { InvariantViolation } from './world/simulated-world.ts';
import { setVirtualTime, waitUntilSettled } from './world/virtual-globals.ts';

export interface RunOutcome {
  readonly violations: readonly InvariantViolation[];
  readonly story: readonly string[];
  readonly events: number;
  readonly calls: number;
  readonly faults: { readonly [fault in CallFault]?: number };
  readonly outages: number;
  readonly powerCuts: number;
  readonly redelivered: number;
  /** Virtual seconds. */
  readonly seconds: number;
  readonly tasks: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Writes of tasks that were looked at. */
  readonly writes: number;
  /** Pushes that were looked at. */
  readonly pushes: number;
  readonly delivered: number;
  readonly boxes: number;
}

const MINUTE = 60_000;
/** Virtual days after which a run must have come to rest. */
const DAYS = 4;
/** Hours within which all has come to rest after the last fault: leases, pauses and lost words are matters of minutes. */
const MOST_HOURS = 8;
/** Events after which something goes round in circles. */
const MAX_EVENTS = 150_000;

/** Fires events until `isOver`. Each is followed by all that it makes happen at the same instant. */
async function play(of: Simulation, isOver: () => boolean): Promise<void> {
  const { clock } = of.world;
  while (!isOver() && clock.step()) {
    await waitUntilSettled();
    if (clock.fired > MAX_EVENTS) {
      of.world.reportViolation('every run comes to rest', `${MAX_EVENTS} events, and no end`);
      return;
    }
    if (of.world.violations.length > 0) return;
  }
}

/** The schedule of the reconciler. When nothing happens for long, it ticks more and more rarely, so that days cost no more than hours. */
function schedule(of: Simulation): () => void {
  const { clock } = of.world;
  let pause = MINUTE;
  let version = '';
  const tick = (): void => {
    const now = JSON.stringify(listStoredTasks(of).map(({ version: each }) => each));
    pause = of.world.hasNoMoreFaults && now === version ? Math.min(pause * 1.5, 60 * MINUTE) : MINUTE;
    version = now;
    void of.world
      .callService(
        'lambda',
        () => 'the reconciler',
        () => of.cloud.invoke('reconcile', { kind: 'schedule' }),
      )
      .catch(() => {});
    clock.schedule(pause, tick, true);
  };
  clock.schedule(MINUTE, tick, true);
  return () => {
    pause = MINUTE;
    version = '';
  };
}

/** Boxes that are written down: the next round takes out those that are gone. */
const roomTaken = (of: Simulation): number =>
  of.cloud.table
    .items()
    .filter((item) => String(item['pk']).startsWith(TABLE_ITEM_KEY_PREFIXES.container))
    .reduce((sum, item) => sum + Number(item['used']), 0);

/** Lets everything planned happen. */
function begin(of: Simulation): void {
  const { plan, world } = of;
  const at = (seconds: number, does: () => void): void => {
    world.clock.schedule(seconds * 1_000, does);
  };
  plan.tasks.forEach((task, index) => {
    // What a task depends on is submitted before it.
    const after = Math.max(0, ...task.dependsOn.map((each) => (plan.tasks[each]?.submittedAt ?? 0) + 1));
    at(Math.max(task.submittedAt, after) + index * 0.01, () => void submitPlannedTask(of, task, index));
  });
  for (const action of plan.actions) at(action.at, () => void performPlannedAction(of, action));
  for (const cut of plan.powerCuts) at(cut, () => of.cloud.cutPower());
  for (const moves of plan.mainMoves) at(moves, () => of.remote.move(world.clock.now));
  at(HORIZON_SECONDS, () => {
    world.logEvent(() => 'from here on nothing goes wrong any more');
    world.hasNoMoreFaults = true;
  });
}

/** People and outside agents see to what waits for them, until nothing does. */
async function tidy(of: Simulation, rest: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 12; round++) {
    const waiting = listStoredTasks(of).filter(
      (task) =>
        task.hold !== null ||
        (task.status === 'open' && task.runner === 'external') ||
        (task.status === 'blocked' && task.blocked_reason?.code !== 'dependency_pending'),
    );
    if (waiting.length === 0) return;
    for (const task of waiting) {
      const number = task.id.length + task.attempts.length;
      if (task.hold) void performActionOnTask(of, number % 2 === 0 ? 'approve' : 'reject', task.id);
      else if (task.status === 'blocked') void performActionOnTask(of, 'cancel', task.id);
      else void claimAsOutsideAgent(of, task.id).catch(() => {});
    }
    await rest();
  }
}

/** Runs a plan from its first event to rest, and looks at everything on the way. */
export async function runPlan(plan: SimulationPlan, tells = false): Promise<RunOutcome> {
  setVirtualTime(null, '');
  const of = new Simulation(plan, tells, runContainerProgram);
  setVirtualTime(of.world.clock, String(plan.seed));
  try {
    return await live(of);
  } finally {
    setVirtualTime(null, '');
    routeSdkCalls(null);
  }
}

async function live(of: Simulation): Promise<RunOutcome> {
  const { world, cloud } = of;
  const { clock } = world;
  cloud.table.onWrite = (write) => {
    checkTaskWrite(of, write);
    for (const reader of cloud.streamReaders) reader.offer(write);
  };
  cloud.onInvoke = (name, event) => {
    if (name === 'judge') checkModelCalls(of, event as JanitorExecutionInput);
  };
  begin(of);
  const hurry = schedule(of);
  const start = clock.now;
  const rest = async (): Promise<void> => {
    const deadline = clock.now + DAYS * 86_400_000;
    const isQuiet = (): boolean =>
      !clock.isBusy &&
      cloud.isIdle &&
      roomTaken(of) === 0 &&
      findStuckTasks(of).length === 0 &&
      findStuckRequests(of).length === 0 &&
      cloud.stateMachines.running === 0;
    hurry();
    await play(of, () => (world.hasNoMoreFaults && isQuiet()) || clock.now > deadline);
  };
  await rest();
  if (world.violations.length === 0 && world.seconds > HORIZON_SECONDS + MOST_HOURS * 3_600)
    world.reportViolation(
      'nothing hangs for hours',
      `it took ${(world.seconds / 3_600).toFixed(1)} hours to come to rest`,
    );
  if (of.plan.resolvesPending && world.violations.length === 0) await tidy(of, rest);
  if (world.violations.length === 0) {
    checkFinalState(of);
    let isChecked = false;
    void checkLedger(of).then(() => {
      isChecked = true;
    });
    await play(of, () => isChecked);
  }
  const statuses: Record<string, number> = {};
  const tasks = listStoredTasks(of);
  for (const { status } of tasks) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    violations: world.violations,
    story: world.story ?? [],
    events: clock.fired,
    calls: world.calls,
    faults: world.faultCounts,
    outages: of.plan.outages.length,
    powerCuts: of.plan.powerCuts.length,
    redelivered: cloud.streamReaders.reduce((sum, each) => sum + each.redelivered, 0),
    seconds: (clock.now - start) / 1_000,
    tasks: tasks.length,
    statuses,
    writes: of.knowledge.writes,
    pushes: of.knowledge.pushes,
    delivered: of.remote.branches.size,
    boxes: cloud.containers.containers.length,
  };
}
