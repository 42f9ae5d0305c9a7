import { describe, expect, test } from 'vitest';
import { isStillFound } from '../../gates/languages/test-paths.ts';
import { judgeCases } from '../../gates/rules/test-integrity/cases/compare.ts';
import type { ReadCase } from '../../gates/rules/test-integrity/cases/model.ts';
import { readTests } from '../../gates/rules/test-integrity/cases/read.ts';

const MODULES = {
  isOwn: (specifier: string) => specifier.startsWith('.') || specifier === 'shop',
  mayAssert: (specifier: string) => specifier.includes('helper'),
};
const read = async (path: string, text: string) => {
  const tests = await readTests(path, text, MODULES);
  if (!tests) throw new Error('is not read');
  return tests;
};
const one = async (path: string, text: string): Promise<ReadCase> => {
  const [first] = (await read(path, text)).cases;
  if (!first) throw new Error('has no case');
  return first;
};
const js = (body: string): string =>
  `import assert from 'node:assert';\nimport { expect, test } from 'vitest';\nimport { price } from '../shop.js';\n${body}`;
const py = (body: string): string => `import unittest\nfrom shop import price\n\n${body}`;

describe('an assertion of JavaScript asks', () => {
  test.each([
    ['assert.equal(price(1), 2);', [3]],
    ['assert.ok(price(1) === 2);', [3]],
    ['assert.ok(price(1));', [1]],
    ['assert.ok(true);', [0]],
    ["assert.equal(typeof price(1), 'number');", [1]],
    ['assert.match(price(1), /x/);', [2]],
    ['expect(price(1)).toBe(2);', [3]],
    ['expect(price(1)).toBe;', []],
    ['expect(price(1)).not.toBe(2);', [1]],
    ['expect(price(1)).toEqual(expect.anything());', [1]],
    ['expect(price(1)).resolves.toBe(2);', [0]],
    ['await expect(price(1)).resolves.toBe(2);', [3]],
    ['expect(price(1)).to.equal(2);', [3]],
    ['expect(price(1)).to.be.true;', [3]],
    ['expect(price(1)).toBeCloseTo(2, -3);', [1]],
    ['if (false) assert.equal(price(1), 2);', []],
    ['if (price(1)) assert.equal(price(1), 2);', [1]],
    ['for (const a of []) assert.equal(price(a), 2);', []],
    ['for (const a of [1, 2, 3]) assert.equal(price(a), 2);', [3, 3, 3]],
    ['[1, 2].forEach((a) => assert.equal(price(a), 2));', [3, 3]],
    ['const later = () => assert.equal(price(1), 2);', []],
    ['const now = () => assert.equal(price(1), 2); now();', [3]],
    ['return; assert.equal(price(1), 2);', []],
    ['try { assert.equal(price(1), 2); } catch {}', []],
    ['try { assert.equal(price(1), 2); } catch (error) { throw error; }', [3]],
    ['try { assert.equal(price(1), 2); } finally { return; }', []],
    ['setTimeout(() => assert.equal(price(1), 2), 9);', [1]],
    ['assert.throws(() => { assert.equal(price(1), 2); });', [2]],
    ['const due = price(1); assert.equal(price(1), due);', [1]],
  ])('%s', async (body, strength) => {
    expect((await one('test/a.test.ts', js(`test('a', async () => { ${body} });\n`))).strength).toEqual(
      strength,
    );
  });
});

describe('an assertion of Python asks', () => {
  test.each([
    ['self.assertEqual(price(1), 2)', [3]],
    ['assert price(1) == 2', [3]],
    ['assert price(1)', [1]],
    ['assert (price(1) == 2, "message")', [0]],
    ['assert 0 <= price(1) <= 9', [2]],
    ['assert price(1) is not None', [1]],
    ['self.assertAlmostEqual(price(1), 2, delta=1000)', [1]],
    ['self.assertAlmostEqual(price(1), 2)', [3]],
    ['self.assertEqual(price(1), mock.ANY)', [0]],
    ['self.assertIn(price(1), (1, 2))', [2]],
    ['with self.assertRaises(AssertionError):\n            assert price(1) == 2', [0]],
    ['with self.assertRaises(ValueError):\n            price(1)', [3]],
    ['for a in []:\n            assert price(a) == 2', []],
    ['for a in (1, 2):\n            assert price(a) == 2', [3, 3]],
    ['if price(1) != 2:\n            return\n        assert price(1) == 2', [1]],
    ['try:\n            assert price(1) == 2\n        except Exception:\n            pass', []],
    ['try:\n            assert price(1) == 2\n        except ValueError:\n            pass', [3]],
    ['price = lambda a: 2\n        assert price(1) == 2', [0]],
  ])('%s', async (body, strength) => {
    const text = py(`class ATest(unittest.TestCase):\n    def test_a(self):\n        ${body}\n`);
    expect((await one('tests/test_a.py', text)).strength).toEqual(strength);
  });
});

describe('a test is run, or is not', () => {
  test.each([
    ['tests/test_a.py', py('class A:\n    def test_a(self):\n        assert price(1) == 2\n'), 'never'],
    ['tests/test_a.py', py('class TestA:\n    def test_a(self):\n        assert price(1) == 2\n'), 'runs'],
    [
      'tests/test_a.py',
      py(
        'class TestA:\n    def __init__(self):\n        pass\n\n    def test_a(self):\n        assert price(1) == 2\n',
      ),
      'never',
    ],
    [
      'tests/test_a.py',
      py('class A(unittest.TestCase):\n    async def test_a(self):\n        assert price(1) == 2\n'),
      'never',
    ],
    ['tests/test_a.py', py('def test_a():\n    yield\n    assert price(1) == 2\n'), 'never'],
    ['tests/test_a.py', py('def test_a():\n    assert price(1) == 2\n\n\ntest_a = None\n'), 'never'],
    ['tests/test_a.py', py('def outer():\n    def test_a():\n        assert price(1) == 2\n'), 'never'],
    ['test/a.test.ts', js("if (0) { test('a', () => { assert.equal(price(1), 2); }); }\n"), 'never'],
    [
      'test/a.test.ts',
      js("function later() { test('a', () => { assert.equal(price(1), 2); }); }\n"),
      'never',
    ],
    [
      'test/a.test.ts',
      js("export function shared() { test('a', () => { assert.equal(price(1), 2); }); }\n"),
      'runs',
    ],
    [
      'test/a.test.ts',
      js("if (process.env.SLOW) test('a', () => { assert.equal(price(1), 2); });\n"),
      'may_run',
    ],
  ])('%s: %s', async (path, text, reach) => {
    expect((await one(path, text)).reach).toBe(reach);
  });
});

test.each([
  ['test/a.test.ts', 'test/b.test.ts', true],
  ['test/a.test.ts', 'src/a.test.ts', true],
  ['test/a.test.ts', 'test/a.ts', true],
  ['tests/a.test.ts', 'tests/a.tests.ts', false],
  ['test/a.test.ts', 'dist/a.test.ts', false],
  ['test/a.test.ts', 'test/node_modules/a.test.ts', false],
  ['tests/test_a.py', 'tests/unit/test_a.py', true],
  ['tests/test_a.py', 'tests/a_checks.py', false],
  ['tests/test_a.py', '.old/test_a.py', false],
])('a test that was found as %s is found as %s: %s', (from, path, found) => {
  expect(isStillFound(from, path)).toBe(found);
});

describe('compared with what it was, a test', () => {
  const rules = async (before: string | null, after: string): Promise<string[]> =>
    judgeCases(
      [
        {
          path: 'test/a.test.ts',
          before: before === null ? null : await read('test/a.test.ts', js(before)),
          after: await read('test/a.test.ts', js(after)),
          isNew: before === null,
        },
      ],
      [],
      new Set(),
    ).map(({ rule, weight }) => `${rule} ${weight}`);
  const whole = "test('a', () => { assert.equal(price(1), 2); });\n";

  test.each([
    [
      'may be laid out anew',
      whole,
      "test('a', () => {\n  assert.equal(\n    price(1),\n    2,\n  );\n});\n",
      [],
    ],
    ['may expect something else', whole, "test('a', () => { assert.equal(price(1), 3); });\n", []],
    ['may not ask less', whole, "test('a', () => { assert.ok(price(1)); });\n", ['test_asks_less fails']],
    [
      'may not leave the code alone',
      whole,
      "test('a', () => { assert.equal(1 + 1, 2); });\n",
      ['test_without_subject fails', 'test_without_subject fails'],
    ],
    [
      'may not be kept from running',
      whole,
      `if (false) { ${whole} }\n`,
      ['test_never_runs fails', 'test_without_subject fails'],
    ],
    [
      'must ask something when it is new',
      null,
      "test('a', () => { price(1); });\n",
      ['test_asserts_nothing fails'],
    ],
    [
      'may show that nothing is thrown',
      null,
      "test('does not throw', () => { price(1); });\n",
      ['test_asserts_nothing reported'],
    ],
    [
      'may lean on a helper',
      null,
      "import { check } from './helper.js';\ntest('a', () => { check(price); });\n",
      [],
    ],
    [
      'may find the code in a table',
      null,
      "const CASES = [['a', price]];\ntest.each(CASES)('%s', (_, ask) => { const got = ask(1); assert.equal(got, 2); });\n",
      [],
    ],
    [
      'must ask the code in its table',
      null,
      "const CASES = [['a', 1]];\ntest.each(CASES)('%s', (_, one) => { assert.equal(one, 1); });\n",
      ['test_without_subject fails'],
    ],
    [
      'must call what it imports',
      null,
      "test('a', () => { assert.ok(price); });\n",
      ['test_without_subject fails'],
    ],
  ])('%s', async (_, before, after, expected) => {
    expect(await rules(before, after)).toEqual(expected);
  });
});

test.each(['if (a) { ', 'a(() => ', 'test("a", () => { ', 'try { ', 'const a = () => a(); '])(
  'a hostile text made of %j is read, or left alone, in bounded time',
  async (piece) => {
    const tests = await readTests('test/a.test.ts', piece.repeat(20_000), MODULES);
    expect(tests === null || tests.cases.length <= 20_000).toBe(true);
  },
);

test('a test goes by its name only where its runner does', () => {
  const vitest = "import { test } from 'vitest';\n";
  expect(isStillFound('test/a.test.ts', 'test/a.checks.ts', vitest)).toBe(false);
  expect(isStillFound('test/a.test.ts', 'lib/b.spec.ts', vitest)).toBe(true);
  expect(isStillFound('a.test.js', '__tests__/a.js', "import { test } from '@jest/globals';\n")).toBe(true);
  expect(isStillFound('test/a.test.ts', 'test/a.ts', "import { test } from 'node:test';\n")).toBe(true);
});
