import type { JanitorInput } from '../../shared/contract/messages/queue.ts';
import { ITEM_PREFIX } from '../../shared/contract/names.ts';
import { boxProgram } from './actors/boxes.ts';
import { act, actOn, claim, submit } from './actors/people.ts';
import { useServices } from './engines/clients.ts';
import { checkEnd } from './oracle/end.ts';
import { checkJudging } from './oracle/judging.ts';
import { stuckRequests } from './oracle/leave.ts';
import { checkLedger } from './oracle/ledger.ts';
import { stuck, tasksOf } from './oracle/rest.ts';
import { checkWrite } from './oracle/writes.ts';
import { HORIZON, type Plan } from './plan.ts';
import { Simulation } from './simulation.ts';
import type { Fault } from './world/faults.ts';
import { settled, useTime } from './world/globals.ts';
import type { Violation } from './world/world.ts';

export interface Outcome {
  readonly violations: readonly Violation[];
  readonly story: readonly string[];
  readonly events: number;
  readonly calls: number;
  readonly faults: { readonly [fault in Fault]?: number };
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
    await settled();
    if (clock.fired > MAX_EVENTS) {
      of.world.violate('every run comes to rest', `${MAX_EVENTS} events, and no end`);
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
    const now = JSON.stringify(tasksOf(of).map(({ version: each }) => each));
    pause = of.world.isCalm && now === version ? Math.min(pause * 1.5, 60 * MINUTE) : MINUTE;
    version = now;
    void of.world
      .outside(
        'lambda',
        () => 'the reconciler',
        () => of.cloud.invoke('reconcile', { kind: 'schedule' }),
      )
      .catch(() => {});
    clock.after(pause, tick, true);
  };
  clock.after(MINUTE, tick, true);
  return () => {
    pause = MINUTE;
    version = '';
  };
}

/** Boxes that are written down: the next round takes out those that are gone. */
const roomTaken = (of: Simulation): number =>
  of.cloud.table
    .items()
    .filter((item) => String(item['pk']).startsWith(ITEM_PREFIX.box))
    .reduce((sum, item) => sum + Number(item['used']), 0);

/** Lets everything planned happen. */
function begin(of: Simulation): void {
  const { plan, world } = of;
  const at = (seconds: number, does: () => void): void => {
    world.clock.after(seconds * 1_000, does);
  };
  plan.tasks.forEach((task, index) => {
    // What a task depends on is submitted before it.
    const after = Math.max(0, ...task.dependsOn.map((each) => (plan.tasks[each]?.at ?? 0) + 1));
    at(Math.max(task.at, after) + index * 0.01, () => void submit(of, task, index));
  });
  for (const action of plan.actions) at(action.at, () => void act(of, action));
  for (const cut of plan.powerCuts) at(cut, () => of.cloud.powerCut());
  for (const moves of plan.mainMoves) at(moves, () => of.remote.move(world.clock.now));
  at(HORIZON, () => {
    world.tell(() => 'from here on nothing goes wrong any more');
    world.isCalm = true;
  });
}

/** People and outside agents see to what waits for them, until nothing does. */
async function tidy(of: Simulation, rest: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 12; round++) {
    const waiting = tasksOf(of).filter(
      (task) =>
        task.hold !== null ||
        (task.status === 'open' && task.runner === 'external') ||
        (task.status === 'blocked' && task.blocked_reason?.code !== 'dependency_pending'),
    );
    if (waiting.length === 0) return;
    for (const task of waiting) {
      const number = task.id.length + task.attempts.length;
      if (task.hold) void actOn(of, number % 2 === 0 ? 'approve' : 'reject', task.id);
      else if (task.status === 'blocked') void actOn(of, 'cancel', task.id);
      else void claim(of, task.id).catch(() => {});
    }
    await rest();
  }
}

/** Runs a plan from its first event to rest, and looks at everything on the way. */
export async function run(plan: Plan, tells = false): Promise<Outcome> {
  useTime(null, '');
  const of = new Simulation(plan, tells, boxProgram);
  useTime(of.world.clock, String(plan.seed));
  try {
    return await live(of);
  } finally {
    useTime(null, '');
    useServices(null);
  }
}

async function live(of: Simulation): Promise<Outcome> {
  const { world, cloud } = of;
  const { clock } = world;
  cloud.table.onWrite = (write) => {
    checkWrite(of, write);
    for (const reader of cloud.readers) reader.offer(write);
  };
  cloud.onInvoke = (name, event) => {
    if (name === 'judge') checkJudging(of, event as JanitorInput);
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
      stuck(of).length === 0 &&
      stuckRequests(of).length === 0 &&
      cloud.machines.running === 0;
    hurry();
    await play(of, () => (world.isCalm && isQuiet()) || clock.now > deadline);
  };
  await rest();
  if (world.violations.length === 0 && world.seconds > HORIZON + MOST_HOURS * 3_600)
    world.violate(
      'nothing hangs for hours',
      `it took ${(world.seconds / 3_600).toFixed(1)} hours to come to rest`,
    );
  if (of.plan.tidy && world.violations.length === 0) await tidy(of, rest);
  if (world.violations.length === 0) {
    checkEnd(of);
    let isChecked = false;
    void checkLedger(of).then(() => {
      isChecked = true;
    });
    await play(of, () => isChecked);
  }
  const statuses: Record<string, number> = {};
  const tasks = tasksOf(of);
  for (const { status } of tasks) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    violations: world.violations,
    story: world.story ?? [],
    events: clock.fired,
    calls: world.calls,
    faults: world.faultsSeen,
    outages: of.plan.outages.length,
    powerCuts: of.plan.powerCuts.length,
    redelivered: cloud.readers.reduce((sum, each) => sum + each.redelivered, 0),
    seconds: (clock.now - start) / 1_000,
    tasks: tasks.length,
    statuses,
    writes: of.knowledge.writes,
    pushes: of.knowledge.pushes,
    delivered: of.remote.branches.size,
    boxes: cloud.containers.boxes.length,
  };
}
