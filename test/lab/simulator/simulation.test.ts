import { expect, test } from 'vitest';
import { PLANTED_FAULTS } from '../../../lab/simulator/planted/planted-faults.ts';
import { spawnSimulation } from '../../../lab/simulator/spawn-simulation.ts';

/** CI makes 500 runs and finds all planted faults in a step of its own: `npm run simulate:check`. */
const RUNS = 25;

test('in simulated runs no task is lost, none is delivered twice, and none without a passing verdict', async () => {
  const { record, broken } = await spawnSimulation(['--runs', `${RUNS}`, '--seed', '7']);
  expect(broken.map(({ message, given, story }) => [message, ...given, ...story].join('\n'))).toEqual([]);
  expect(record.runs).toBe(RUNS);
  expect(record.delivered).toBeGreaterThan(5);
}, 600_000);

test('a run replays from its seed, to the last event, also when others went before it', async () => {
  const [alone, { record: before }, { record: with11 }] = await Promise.all([
    spawnSimulation(['--seed', '7', '--run', '11']),
    spawnSimulation(['--seed', '7', '--from', '8', '--runs', '3']),
    spawnSimulation(['--seed', '7', '--from', '8', '--runs', '4']),
  ]);
  expect(alone.record.events).toBeGreaterThan(100);
  expect(with11.events - before.events).toBe(alone.record.events);
  expect(with11.calls - before.calls).toBe(alone.record.calls);
  expect(with11.writes - before.writes).toBe(alone.record.writes);
}, 300_000);

test('a counterexample is as small as it can be, and tells its story in numbered lines', async () => {
  const { broken } = await spawnSimulation(['--runs', '500', '--fault', 'every verdict is a pass']);
  const [found] = broken;
  expect(found?.story[0]).toMatch(/^ +1\. +[\d.]+ s {2}an operator submits T0/);
  expect(found?.story.at(-1)).toContain(`BROKEN: ${found?.invariant}`);
  expect(PLANTED_FAULTS['every verdict is a pass'].breaks).toContain(found?.invariant);
  // One task, one work, and no fault: a verdict that is always a pass needs no more.
  expect(found?.given.map((line) => line.replace(/\d+/g, 'N'))).toEqual([
    expect.stringMatching(/^given TN at N s \(managed(; [a-z ]+)*\): N s for \w+ work$/),
    'given calls of up to N ms and indexes up to N ms behind',
  ]);
}, 600_000);
