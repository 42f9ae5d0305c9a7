import { describe, expect, test } from 'vitest';
import { suppressionsGate } from '../../gates/gates/suppressions.ts';
import { findTamperingFindings } from '../../gates/rules/suppressions/code/tampering-findings.ts';
import {
  findRustLintSuppressions,
  findSuppressions,
} from '../../gates/rules/suppressions/suppression-findings.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

test.each([
  ['// eslint-disable-next-line no-eval', 'lint_suppressed'],
  ['// biome-ignore lint/suspicious/noExplicitAny: later', 'lint_suppressed'],
  ['# noqa: E501', 'lint_suppressed'],
  ['# pylint: disable=all', 'lint_suppressed'],
  ['//nolint:errcheck', 'lint_suppressed'],
  ['// @ts-expect-error', 'type_check_suppressed'],
  ['# type: ignore[arg-type]', 'type_check_suppressed'],
  ['# pragma: no cover', 'coverage_suppressed'],
  ['/* istanbul ignore next */', 'coverage_suppressed'],
  ['/* node:coverage disable */', 'coverage_suppressed'],
  ['// Stryker disable all', 'mutation_suppressed'],
  ['# nosec B602', 'scanner_suppressed'],
  ['# fmt: off', 'format_suppressed'],
])('%s is %s', (comment, rule) => {
  expect(findSuppressions(comment).map((each) => each.rule)).toContain(rule);
});

test.each([
  '// ignores types',
  '# the type: a string',
  '// disable the lint of wool',
  '# no quarter',
  '# a pragma',
])('%s is an ordinary comment', (comment) => {
  expect(findSuppressions(comment)).toEqual([]);
});

test('attributes of Rust silence too', () => {
  expect(findRustLintSuppressions('#[allow(dead_code)]').map(({ rule }) => rule)).toEqual([
    'lint_suppressed',
  ]);
  expect(findRustLintSuppressions('#[derive(Debug)]')).toEqual([]);
});

describe('code', () => {
  const rulesOf = async (path: string, code: string): Promise<string[]> =>
    (await findTamperingFindings([{ path, basePath: null, before: null, after: code }])).map(
      ({ rule }) => rule,
    );
  test.each([
    ['a.js', 'export const f = () => { if (process.env.NODE_TEST_CONTEXT) return 1; };', 'detects_test_run'],
    ['a.js', "export const on = process.env.NODE_ENV === 'test';", 'detects_test_run'],
    ['a.py', 'import sys\nif "pytest" in sys.modules:\n    x = 1\n', 'detects_test_run'],
    ['a.js', 'process.exit(0);', 'ends_process'],
    ['a.js', 'setTimeout(() => process.exit(0), 10);', 'ends_process'],
    ['a.py', 'import os\nos._exit(0)\n', 'ends_process'],
    ['a.js', 'process.on("exit", () => process.reallyExit(0));', 'rewrites_exit_code'],
    ['a.js', 'process.exitCode = 0;', 'rewrites_exit_code'],
    ['a.js', "require('node:assert').strictEqual = () => {};", 'runner_patched'],
    ['a.py', 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n', 'runner_patched'],
    ['a.py', 'class A:\n    def __eq__(self, other): return True\n', 'equal_to_everything'],
    ['a.js', 'process.exit(0);\nconst broken = (;', 'ends_process'],
    ['a.js', 'try { f(); } catch { }', 'error_swallowed'],
    ['a.ts', 'try { f(); } catch (error: unknown) { }', 'error_swallowed'],
    ['a.py', 'try:\n    f()\nexcept Exception:\n    pass\n', 'error_swallowed'],
    ['a.py', 'def g():\n    try:\n        f()\n    except:\n        return None\n', 'error_swallowed'],
    [
      'a.py',
      'for a in b:\n    try:\n        f()\n    except (OSError, Exception) as e:\n        continue\n',
      'error_swallowed',
    ],
  ])('%s: %j is %s', async (path, code, rule) => {
    expect(await rulesOf(path, code)).toContain(rule);
  });

  test.each([
    ['a.js', 'export const f = () => {\n  process.exit(1);\n};'],
    ['a.js', 'process.exit(1);'],
    ['a.js', 'process.exitCode = 1;'],
    ['a.js', "export const on = process.env.NODE_ENV === 'production';"],
    ['a.js', "process.on('exit', () => server.close());"],
    ['a.js', 'const assert = { equal: (a, b) => a === b };'],
    ['a.js', 'assert.equal(a, b);'],
    ['a.py', 'import sys\nsys.exit(main())\n'],
    ['a.js', 'try { f(); } catch (error) { fail(error); }'],
    ['a.py', 'try:\n    f()\nexcept Exception:\n    raise\n'],
  ])('%s: %j is nothing special', async (path, code) => {
    expect(await rulesOf(path, code)).toEqual([]);
  });

  test.each([
    ['node_modules/a/a.js', 'process.exit(0);', 'ends_process warning'],
    ['vendor/a/a.py', 'try:\n    f()\nexcept Exception:\n    pass\n', 'error_swallowed info'],
  ])('of others is read, too, and weighs less: %s', async (path, code, seen) => {
    const found = await findTamperingFindings([{ path, basePath: null, before: null, after: code }]);
    expect(found.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([seen]);
  });
});

describe('the gate', () => {
  const look = (
    edits: FileEdits,
    required: readonly string[] = [],
    base: FileContents = { 'a.js': 'exports.a = 1;\n' },
  ) =>
    runGate(suppressionsGate, base, edits, {
      context: { requiredGates: required },
      settings: { lint_command: 'x' },
    });
  const ADDED = { 'a.js': 'exports.a = 1; // eslint-disable-line\n' };

  test('blocks what silences a required gate, and reports the rest', async () => {
    expect(await look(ADDED, ['lint'])).toMatchObject({
      outcome: 'failed',
      findings: [{ file: 'a.js', line: 1, rule: 'lint_suppressed' }],
    });
    expect(await look(ADDED, ['tests'])).toMatchObject({ outcome: 'passed', findings: [{ line: 1 }] });
  });

  test('does not count a linter that is on, but not there', async () => {
    const base = { 'a.js': 'exports.a = 1;\n' };
    const result = await runGate(suppressionsGate, base, ADDED, { context: { requiredGates: ['lint'] } });
    expect(result.outcome).toBe('passed');
  });

  test('lets lines be moved and indented', async () => {
    const base = { 'a.js': 'f(); // eslint-disable-line\n', 'b.js': 'g();\n' };
    expect(
      (await look({ 'a.js': null, 'b.js': 'g();\n  f(); // eslint-disable-line\n' }, ['lint'], base))
        .findings,
    ).toEqual([]);
  });

  test('looks at tests for comments only: what they do is for test_integrity', async () => {
    expect((await look({ 'test/a.test.js': 'process.exit(0);\n' })).findings).toEqual([]);
  });

  test('says that a file was emptied instead of deleted, for a person', async () => {
    const emptied = await look({ 'a.js': '// gone\n' });
    expect(emptied.outcome).toBe('could_not_run');
    expect(emptied.findings.map(({ rule }) => rule)).toEqual(['file_emptied']);
    expect((await look({ 'a.js': null })).findings).toEqual([]);
    const marker = await look({ 'p/__init__.py': '' }, [], { 'p/__init__.py': 'X = 1\n' });
    expect(marker.findings).toEqual([]);
  });

  test('reads a line of a megabyte in linear time', async () => {
    const line = 'process.env.NODE_ENV == sys.argv; '.repeat(20_000);
    expect((await look({ 'a.js': `exports.a = 1;\n${line}\n` })).outcome).toBe('passed');
  });
});
