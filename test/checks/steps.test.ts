import { readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { CHECK_STEPS, classifyExitCode, SKIPPED_EXIT_CODE } from './check-steps.ts';

test.each([
  ['passed', 0],
  ['failed', 1],
  ['failed', null],
  ['skipped', SKIPPED_EXIT_CODE],
])('a step has %s with exit code %s', (outcome, code) => {
  expect(classifyExitCode(code)).toBe(outcome);
});

it('knows each step as a script of the package', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(CHECK_STEPS.map(({ name }) => name)));
});
