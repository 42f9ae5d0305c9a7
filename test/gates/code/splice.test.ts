import { expect, test } from 'vitest';
import {
  hasSameRustInlineTests,
  replaceRustInlineTests,
} from '../../../gates/code/cases/rust-inline-tests.ts';
import {
  canSpliceTestCase,
  parseTestCaseFile,
  spliceTestCases,
} from '../../../gates/code/cases/splice-test-cases.ts';
import { grammarOfPath } from '../../../gates/core/language.ts';

async function put(path: string, host: string, donor: string, ...names: readonly string[]): Promise<string> {
  const grammar = grammarOfPath(path);
  if (grammar === null) throw new Error(path);
  const [into, from] = [await parseTestCaseFile(grammar, host), await parseTestCaseFile(grammar, donor)];
  const wanted = from.cases.filter(({ name }) => names.includes(name));
  return spliceTestCases(into, from, wanted);
}

test('a case takes the place of the one of its name, and nothing else changes', async () => {
  const host =
    'from a import f\n\n\ndef test_a():\n    assert f(1) == 1\n\n\ndef test_b():\n    assert f(2)\n';
  const donor = 'from a import f, g\n\n\ndef test_b():\n    assert f(2) == 2\n\n\ndef test_a():\n    g()\n';
  expect(await put('test_a.py', host, donor, 'test_b')).toBe(
    host.replace('assert f(2)\n', 'assert f(2) == 2\n'),
  );
});

test('one without a counterpart stands after the one that it stands after in its own file', async () => {
  const host = "test('a', () => {});\ntest('c', () => {});\n";
  const donor = "test('a', () => {});\ntest('b', () => {\n  ask(1);\n});\ntest('c', () => {});\n";
  expect(await put('a.test.js', host, donor, 'b')).toBe(
    "test('a', () => {});\n\ntest('b', () => {\n  ask(1);\n});\ntest('c', () => {});\n",
  );
});

test('a case that moves into a class is indented as its new neighbours are', async () => {
  const host = 'class TestA:\n    def test_a(self):\n        assert f(1)\n';
  const donor = 'def test_a(self):\n    if x:\n        assert f(1) == 1\n';
  expect(await put('test_a.py', host, donor, 'test_a')).toBe(
    'class TestA:\n    def test_a(self):\n        if x:\n            assert f(1) == 1\n',
  );
});

test('of several cases of one name the first is that of the first', async () => {
  const of = (first: string, second: string): string =>
    `class TestA:\n    def test_a(self):\n        ${first}\n\n\nclass TestB:\n    def test_a(self):\n        ${second}\n`;
  expect(await put('test_a.py', of('f(1)', 'f(2)'), of('g(1)', 'g(2)'), 'test_a')).toBe(of('g(1)', 'g(2)'));
});

test('a case fits where all that it uses of its own file is there too', async () => {
  const grammar = 'python';
  const donor = await parseTestCaseFile(
    grammar,
    'from a import f\n\n\ndef made():\n    return f(1)\n\n\ndef test_a():\n    made()\n\n\ndef test_b():\n    f(2)\n',
  );
  const host = await parseTestCaseFile(grammar, 'from a import f, g\n\n\ndef test_c():\n    g()\n');
  expect(donor.cases.map((each) => canSpliceTestCase(host, donor, each))).toEqual([false, true]);
});

test('tests beside the code of Rust are exchanged, with what marks them', async () => {
  const beside = (value: number): string =>
    `#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(super::f(), ${value});\n    }\n}`;
  const code = (value: number): string => `pub fn f() -> u8 {\n    ${value}\n}`;
  const [old, now] = [`${code(1)}\n\n${beside(1)}\n`, `${code(2)}\n\n${beside(2)}\n`];
  expect(await replaceRustInlineTests(now, old)).toBe(`${code(2)}\n\n${beside(1)}\n`);
  expect(await replaceRustInlineTests(code(1), code(2))).toBe(null);
  expect([
    await hasSameRustInlineTests(now, old),
    await hasSameRustInlineTests(now, `${code(1)}\n${beside(2)}\n`),
  ]).toEqual([false, true]);
});
