import { expect, test } from 'vitest';
import { PLANTED } from './planted/faults.ts';
import { simulation } from './spawned.ts';

test('in 500 simulated runs no task is lost, none is delivered twice, and none without a passing verdict', async () => {
  const { record, broken } = await simulation(['--runs', '500', '--seed', '7']);
  expect(broken.map(({ message, given, story }) => [message, ...given, ...story].join('\n'))).toEqual([]);
  // It looks at something: work is delivered, and much goes wrong on the way.
  expect(record.runs).toBe(500);
  expect(record.delivered).toBeGreaterThan(100);
  expect(record.faults).toBeGreaterThan(300);
}, 600_000);

test('a run replays from its seed, to the last event', async () => {
  const args = ['--seed', '7', '--run', '11'];
  const [first, second] = await Promise.all([simulation(args), simulation(args)]);
  const { cpu_seconds: _one, ...of } = first.record;
  const { cpu_seconds: _other, ...again } = second.record;
  expect(again).toEqual(of);
  expect(of.events).toBeGreaterThan(100);
}, 300_000);

test('a counterexample is small, and tells its story in numbered lines', async () => {
  const { broken } = await simulation(['--runs', '500', '--fault', 'every verdict is a pass']);
  const [found] = broken;
  expect(found?.story[0]).toMatch(/^ +1\. +[\d.]+ s {2}an operator submits T0/);
  expect(found?.story.at(-1)).toContain(`BROKEN: ${found?.invariant}`);
  expect(PLANTED['every verdict is a pass'].breaks).toContain(found?.invariant);
  expect(found?.given.filter((line) => line.startsWith('given T')).length).toBeLessThanOrEqual(2);
}, 600_000);
