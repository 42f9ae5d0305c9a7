import { describe, expect, test } from 'vitest';
import { suppressions } from '../../gates/gates/suppressions.ts';
import { attributesIn, silencedBy } from '../../gates/rules/suppressions/comments.ts';
import { DECEPTIONS } from '../../gates/rules/suppressions/deceptions.ts';
import { swallowedErrors } from '../../gates/rules/suppressions/swallowed.ts';
import { type Edits, type Files, runGate } from '../support/patch.ts';

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
  expect(silencedBy(comment).map((each) => each.rule)).toContain(rule);
});

test.each([
  '// ignores types',
  '# the type: a string',
  '// disable the lint of wool',
  '# no quarter',
  '# a pragma',
])('%s is an ordinary comment', (comment) => {
  expect(silencedBy(comment)).toEqual([]);
});

test('attributes of Rust silence too', () => {
  expect(attributesIn('#[allow(dead_code)]').map(({ rule }) => rule)).toEqual(['lint_suppressed']);
  expect(attributesIn('#[derive(Debug)]')).toEqual([]);
});

describe('code', () => {
  const rulesOf = (line: string): string[] =>
    DECEPTIONS.filter(({ pattern }) => pattern.test(line)).map(({ rule }) => rule);
  test.each([
    ['if (process.env.NODE_TEST_CONTEXT) return 1;', 'detects_test_run'],
    ["if (process.env.NODE_ENV === 'test') {", 'detects_test_run'],
    ['if "pytest" in sys.modules:', 'detects_test_run'],
    ['if testing.Testing() {', 'detects_test_run'],
    ['process.exit(0);', 'ends_process'],
    ['setTimeout(() => process.exit(0), 10);', 'ends_process'],
    ['os._exit(0)', 'ends_process'],
    ['process.on("exit", () => process.reallyExit(0));', 'rewrites_exit_code'],
    ['process.exitCode = 0;', 'rewrites_exit_code'],
    ["require('node:assert').strictEqual = () => {};", 'runner_patched'],
    ['unittest.TestCase.assertEqual = lambda *a: None', 'runner_patched'],
    ['    def __eq__(self, other): return True', 'equal_to_everything'],
  ])('%s: %s', (line, rule) => {
    expect(rulesOf(line)).toContain(rule);
  });

  test.each([
    '  process.exit(0);',
    'process.exit(1);',
    'process.exitCode = 1;',
    "process.env.NODE_ENV === 'production'",
    "process.on('exit', () => server.close());",
    'const assert = { equal: (a, b) => a === b };',
    'assert.equal(a, b);',
    'sys.exit(main())',
  ])('%s is nothing special', (line) => {
    expect(rulesOf(line)).toEqual([]);
  });

  test.each([
    ['a.js', 'try { f(); } catch { }', 1],
    ['a.ts', 'try { f(); } catch (error: unknown) { return null; }', 1],
    ['a.js', 'try { f(); } catch (error) { log(error); }', 0],
    ['a.py', 'try:\n    f()\nexcept Exception:\n    pass\n', 1],
    ['a.py', 'try:\n    f()\nexcept:\n    return None\n', 1],
    ['a.py', 'try:\n    f()\nexcept (OSError, Exception) as e:\n    continue\n', 1],
    ['a.py', 'try:\n    f()\nexcept KeyError:\n    pass\n', 0],
    ['a.py', 'try:\n    f()\nexcept Exception:\n    raise\n', 0],
  ])('%s: %o throws %i errors away', (path, code, expected) => {
    expect(swallowedErrors(path, code)).toHaveLength(expected);
  });
});

describe('the gate', () => {
  const look = (
    edits: Edits,
    required: readonly string[] = [],
    base: Files = { 'a.js': 'exports.a = 1;\n' },
  ) => runGate(suppressions, base, edits, { context: { required }, settings: { lint_command: 'x' } });
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
    const result = await runGate(suppressions, base, ADDED, { context: { required: ['lint'] } });
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
    expect(emptied.outcome).toBe('inert');
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
