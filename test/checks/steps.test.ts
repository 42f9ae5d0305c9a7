import { readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { outcomeOf, SKIPPED, STEPS } from './steps.ts';

test.each([
  ['passed', 0],
  ['failed', 1],
  ['failed', null],
  ['skipped', SKIPPED],
])('a step has %s with exit code %s', (outcome, code) => {
  expect(outcomeOf(code)).toBe(outcome);
});

it('knows each step as a script of the package', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(STEPS.map(({ name }) => name)));
});
