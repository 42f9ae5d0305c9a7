import type { CaseFiles } from './adversarial-case.ts';

/** The part of vitest that cases use, on what Node brings along: its tests are run, and nothing is installed. */
const SHIM = `const { beforeEach, describe, it, test } = require('node:test');
const { AssertionError, deepEqual, deepStrictEqual, partialDeepStrictEqual } = require('node:assert');

const kind = (is) => ({ $is: is });
const isKind = (value) => typeof value?.$is === 'function';
function like(actual, expected) {
  if (isKind(expected)) return expected.$is(actual);
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return holds(() => deepEqual(actual, expected));
  const keys = Object.keys(expected);
  return typeof actual === 'object' && actual !== null && keys.length === Object.keys(actual).length
    && keys.every((key) => like(actual[key], expected[key]));
}
function holds(asserts) {
  try { asserts(); return true; } catch { return false; }
}
const refuses = (call, why) => {
  try { call(); } catch (error) {
    if (typeof why === 'function') return error instanceof why;
    return why === undefined || (why instanceof RegExp ? why.test(error.message) : error.message.includes(why));
  }
  return false;
};
const matchers = {
  toBe: Object.is,
  toEqual: like,
  toStrictEqual: (actual, expected) => holds(() => deepStrictEqual(actual, expected)),
  toBeCloseTo: (actual, expected, digits = 2) => Math.abs(actual - expected) < 10 ** -digits / 2,
  toMatchObject: (actual, expected) => holds(() => partialDeepStrictEqual(actual, expected)),
  toThrow: refuses,
  toBeDefined: (actual) => actual !== undefined,
};
const asked = (actual, name) => (...expected) => {
  const answer = matchers[name](actual, ...expected);
  if ((answer.pass ?? answer) !== true) throw new AssertionError({ message: name + ' does not hold', actual, expected: expected[0] });
};
const expect = (actual) => ({
  ...Object.fromEntries(Object.keys(matchers).map((name) => [name, asked(actual, name)])),
  resolves: Object.fromEntries(Object.keys(matchers).map((name) => [name, async (...expected) => asked(await actual, name)(...expected)])),
});
expect.any = (type) => kind((value) => Object(value) instanceof type);
expect.anything = () => kind((value) => value != null);
expect.extend = (more) => void Object.assign(matchers, more);

const each = (run) => (rows) => (name, body) => {
  for (const row of rows) run(name.replace(/%[ds]/, String([row].flat()[0])), () => body(...[row].flat()));
};
for (const run of [describe, it, test]) {
  run.each = each(run);
  run.skipIf = (condition) => (condition ? run.skip : run);
  run.concurrent = run;
}
module.exports = { beforeEach, describe, expect, it, test };
`;

/** A project whose tests are written for vitest. */
export const addVitestShim = (files: CaseFiles): CaseFiles => ({
  ...files,
  'node_modules/vitest/package.json': '{"name":"vitest","version":"0.0.0","main":"index.js"}\n',
  'node_modules/vitest/index.js': SHIM,
});
