import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ADMISSION_RETRY_SECONDS,
  canAdmitLaunch,
  computePassedOverCounts,
  hashSubmitterName,
  type LaunchAdmissionRequest,
  type LaunchAdmissionState,
  MAX_TIMES_PASSED_OVER,
  planLaunchWaitEntry,
  STARVATION_SECONDS,
  WAIT_ENTRY_TTL_SECONDS,
  type WaitingLaunchRequest,
} from '../../../../shared/control/admission/admission-control.ts';
import { task } from '../../../support/builders.ts';

type Priority = LaunchAdmissionRequest['priority'];
const NOW = 10_000;
const ask = (by: string, priority: Priority = 2, name = `${by}${priority}`): LaunchAdmissionRequest => ({
  name,
  by,
  priority,
});
const waits = (of: LaunchAdmissionRequest, since = NOW, until = NOW): WaitingLaunchRequest => ({
  ...of,
  since,
  until,
});
const shares = (
  held: Record<string, number>,
  waiting: readonly WaitingLaunchRequest[] = [],
  passed: Partial<Record<Priority, number>> = {},
): LaunchAdmissionState => ({
  heldBySubmitter: new Map(Object.entries(held)),
  waiting,
  passedOver: new Map(Object.entries(passed).map(([each, count]) => [Number(each) as Priority, count])),
});
const LONG = NOW - STARVATION_SECONDS;

it.each<[string, LaunchAdmissionRequest, LaunchAdmissionState, boolean]>([
  ['takes what nobody waits for, however much it has', ask('much'), shares({ much: 9 }), true],
  [
    'leaves it to one that waits and has less',
    ask('much'),
    shares({ much: 9, little: 1 }, [waits(ask('little'))]),
    false,
  ],
  [
    'leaves it to one that waits and has nothing',
    ask('much'),
    shares({ much: 9 }, [waits(ask('little'))]),
    false,
  ],
  [
    'takes it before one that waits and has as much',
    ask('ann'),
    shares({ ann: 2, bob: 2 }, [waits(ask('bob'))]),
    true,
  ],
  [
    'takes it before one that waits and has more',
    ask('little'),
    shares({ much: 9, little: 1 }, [waits(ask('much'))]),
    true,
  ],
  ['does not wait for its like', ask('ann', 2, 'a'), shares({ ann: 9 }, [waits(ask('ann', 2, 'b'))]), true],
  [
    'leaves it to its like that has waited for long',
    ask('ann', 2, 'a'),
    shares({}, [waits(ask('ann', 2, 'b'), LONG)]),
    false,
  ],
  [
    'does not wait for one that has not come again',
    ask('much'),
    shares({ much: 9 }, [waits(ask('little'), NOW, NOW - 1)]),
    true,
  ],
  [
    'leaves it to a higher priority that has more',
    ask('little', 2),
    shares({ much: 9 }, [waits(ask('much', 1))]),
    false,
  ],
  [
    'leaves it to a higher priority of its own',
    ask('ann', 3),
    shares({ ann: 2 }, [waits(ask('ann', 2))]),
    false,
  ],
  [
    'takes it before a lower priority that has less',
    ask('much', 1),
    shares({ much: 9 }, [waits(ask('little', 2))]),
    true,
  ],
  [
    'takes it before a lower one that has waited for long',
    ask('ann', 1),
    shares({}, [waits(ask('bob', 3), LONG)]),
    true,
  ],
  [
    'takes it before a lower one that was passed over a while ago',
    ask('ann', 1),
    shares({}, [waits(ask('bob', 3), LONG + 1)], { 3: MAX_TIMES_PASSED_OVER }),
    true,
  ],
  [
    'leaves it to a lower one that was passed over for long',
    ask('ann', 1),
    shares({}, [waits(ask('bob', 3), LONG)], { 3: MAX_TIMES_PASSED_OVER }),
    false,
  ],
])('a launch %s', (_case, who, of, may) => {
  expect(canAdmitLaunch(who, of, NOW)).toBe(may);
});

const priorities = fc.constantFrom<Priority>(1, 2, 3);
const submitters = fc.constantFrom('a', 'b', 'c', 'd');
const asks = fc.record({ name: fc.uuid(), by: submitters, priority: priorities });
const waitings = asks.chain((of) =>
  fc
    .record({
      since: fc.integer({ min: NOW - 2_000, max: NOW }),
      until: fc.integer({ min: NOW - 60, max: NOW + 60 }),
    })
    .map((when) => ({ ...of, ...when })),
);
const anyShares = fc
  .record({
    held: fc.dictionary(submitters, fc.nat(9)),
    waiting: fc.array(waitings, { maxLength: 30 }),
    passed: fc.record({ 2: fc.nat(20), 3: fc.nat(20) }),
  })
  .map(({ held, waiting, passed }) => shares(held, waiting, passed));

it('always lets one of those that wait take what is free', () => {
  fc.assert(
    fc.property(anyShares, (of) => {
      const live = of.waiting.filter(({ until }) => until >= NOW);
      fc.pre(live.length > 0);
      expect(live.some((each) => canAdmitLaunch(each, of, NOW))).toBe(true);
    }),
  );
});

it('never lets a lower priority go before a higher one that waits, unless it was passed over as often as was promised', () => {
  fc.assert(
    fc.property(anyShares, asks, (of, who) => {
      const isUrgent = of.waiting.some(({ priority, until }) => until >= NOW && priority < who.priority);
      const isPassedOver = (of.passedOver.get(who.priority) ?? 0) >= MAX_TIMES_PASSED_OVER;
      if (isUrgent && !isPassedOver) expect(canAdmitLaunch(who, of, NOW)).toBe(false);
    }),
  );
});

it('keeps a few words of each kind, renews them in time, and never more in all than fit', () => {
  fc.assert(
    fc.property(anyShares, asks, (of, who) => {
      const { isQueued, entry, expiredNames } = planLaunchWaitEntry(who, of, NOW);
      const left = of.waiting.filter(({ name }) => !expiredNames.includes(name));
      expect(left.filter(({ until }) => until >= NOW).length + (entry ? 1 : 0)).toBeLessThanOrEqual(30);
      if (entry) expect(left.every(({ until }) => until >= NOW)).toBe(true);
      // Who has less, or is more urgent, is not shut out by the number of others.
      const isNew = !of.waiting.some(
        ({ by, priority, until }) => until >= NOW && by === who.by && priority === who.priority,
      );
      if (isNew) expect(isQueued).toBe(true);
    }),
  );
  const first = planLaunchWaitEntry(ask('ann'), shares({}), NOW).entry;
  if (!first) throw new Error('there is a place');
  expect(first).toEqual({ ...ask('ann'), since: NOW, until: NOW + WAIT_ENTRY_TTL_SECONDS });
  expect(planLaunchWaitEntry(ask('ann'), shares({}, [first]), NOW + 2)).toEqual({
    isQueued: true,
    entry: null,
    expiredNames: [],
  });
  const renewed = { ...first, until: NOW + ADMISSION_RETRY_SECONDS + WAIT_ENTRY_TTL_SECONDS };
  expect(planLaunchWaitEntry(ask('ann'), shares({}, [first]), NOW + ADMISSION_RETRY_SECONDS).entry).toEqual(
    renewed,
  );
});

it('counts for each priority that waits what goes before it, and no longer when it is served or waits no more', () => {
  const of = shares({}, [waits(ask('ann', 2)), waits(ask('bob', 3), NOW, NOW - 1)], { 2: 4, 3: 5 });
  expect(computePassedOverCounts(ask('ann', 1), of, NOW)).toEqual({ counted: [2], ended: [3] });
  expect(computePassedOverCounts(ask('ann', 2), of, NOW)).toEqual({ counted: [], ended: [2, 3] });
});

/** One place with a room of ten: all come once, in any order, and say that they wait; then one box ends, and they come again. */
function play(
  random: () => number,
  queue: Map<string, { ask: LaunchAdmissionRequest; left: number; times: number }>,
  rounds: number,
): LaunchAdmissionRequest[] {
  const ROOM = 10;
  const running: string[] = Array.from({ length: ROOM }, () => 'much');
  let waiting: WaitingLaunchRequest[] = [];
  let passed = new Map<Priority, number>();
  const started: LaunchAdmissionRequest[] = [];
  for (let round = 1; round <= rounds; round++) {
    const now = NOW + round * 60;
    for (const again of [false, true]) {
      if (again) running.splice(Math.floor(random() * running.length), 1);
      const all = [...queue.values()].flatMap((each) => Array<typeof each>(each.times).fill(each));
      for (const each of all.sort(() => random() - 0.5)) {
        if (each.left === 0) continue;
        const held = new Map<string, number>();
        for (const by of running) held.set(by, (held.get(by) ?? 0) + 1);
        const of = { heldBySubmitter: held, waiting, passedOver: passed };
        if (running.length < ROOM && canAdmitLaunch(each.ask, of, now)) {
          const { counted, ended } = computePassedOverCounts(each.ask, of, now);
          passed = new Map([...passed].filter(([priority]) => !ended.includes(priority)));
          for (const priority of counted) passed.set(priority, (passed.get(priority) ?? 0) + 1);
          running.push(each.ask.by);
          started.push(each.ask);
          each.left -= 1;
          waiting = waiting.filter(({ name }) => name !== each.ask.name);
        } else {
          const { entry, expiredNames } = planLaunchWaitEntry(each.ask, of, now);
          waiting = waiting.filter(({ name }) => !expiredNames.includes(name) && name !== entry?.name);
          if (entry) waiting.push(entry);
          else
            waiting = waiting.map((word) =>
              word.name === each.ask.name ? { ...word, until: now + 60 } : word,
            );
        }
      }
    }
  }
  return started;
}
const chance = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));

it('gives each submitter an even part of the room, whoever comes first and however much each asks for', () => {
  fc.assert(
    fc.property(chance, fc.integer({ min: 1, max: 4 }), (random, others) => {
      const queue = new Map([['much', { ask: ask('much'), left: 1_000, times: 100 }]]);
      for (let at = 0; at < others; at++) queue.set(`o${at}`, { ask: ask(`o${at}`), left: 3, times: 1 });
      play(() => random.next().value as number, queue, 12 * others);
      // Whoever asked for little has had all of it, one box that ended for each that was started.
      for (const [who, { left }] of queue) if (who !== 'much') expect(left, who).toBe(0);
    }),
    { numRuns: 50 },
  );
});

it('lets a flood of urgent work go first, and the rest not wait for ever', () => {
  fc.assert(
    fc.property(chance, (random) => {
      const queue = new Map(
        ([1, 2, 3] as const).map((each) => [
          `${each}`,
          { ask: ask(`p${each}`, each), left: 1_000, times: 3 },
        ]),
      );
      const started = play(() => random.next().value as number, queue, 150);
      const of = (priority: Priority): number => started.filter((each) => each.priority === priority).length;
      // A quarter of an hour of the first alone; then each of the others one in eleven, or little less.
      expect(started.slice(0, 12).every(({ priority }) => priority === 1)).toBe(true);
      for (const each of [2, 3] as const) {
        expect(of(each)).toBeGreaterThanOrEqual(8);
        expect(of(each)).toBeLessThanOrEqual(15);
      }
    }),
    { numRuns: 20 },
  );
});

it('names a submitter in a way that a queue takes as a group', () => {
  const of = hashSubmitterName(task({ created_by: 'Ann Ö. <ann@example.test>' }));
  expect(of).toMatch(/^[0-9a-f]{32}$/);
  expect(hashSubmitterName(task({ created_by: 'bob' }))).not.toBe(of);
});
