import { describe, expect, test } from 'vitest';
import { parseTestCases } from '../../../gates/code/cases/find-test-cases.ts';

const read = async (path: string, text: string) =>
  (await parseTestCases(path, text))?.map(
    ({ name, line, assertionCount, exactAssertionCount, isSkipped }) => [
      name,
      line,
      assertionCount,
      exactAssertionCount,
      ...(isSkipped ? ['skipped'] : []),
    ],
  );

describe('test cases are read from the tree', () => {
  test.each<[string, string, string, unknown[]]>([
    [
      'a function of Python',
      'test_a.py',
      'def test_a():\n    assert f(1) == 2\n    assert f(2)\n',
      [['test_a', 1, 2, 1]],
    ],
    [
      'a method of Python with a decorator',
      'test_a.py',
      'class T(TestCase):\n    @skipIf(True, "x")\n    def test_a(self):\n        self.assertEqual(f(), 1)\n        with pytest.raises(E):\n            g()\n',
      [['test_a', 2, 2, 2, 'skipped']],
    ],
    ['no helper of Python', 'a.py', 'def check(x):\n    assert x\n', []],
    [
      'a call of JavaScript',
      'a.test.js',
      "test('adds', () => { expect(f(1)).toBe(2); expect(g()).toBeTruthy(); });\n",
      [['adds', 1, 2, 1]],
    ],
    [
      'assertions of node',
      'a.test.js',
      "it('x', async () => { assert.equal(a, 1); await assert.rejects(f()); assert(a); });",
      [['x', 1, 3, 2]],
    ],
    [
      'a table',
      'a.test.ts',
      "test.each([[1, 2]])('doubles %i', (a, b) => { expect(f(a)).toEqual(b); });",
      [['doubles %i', 1, 1, 1]],
    ],
    [
      'a test that is skipped',
      'a.test.ts',
      "test.skip('later', () => { expect(1).toBe(1); });",
      [['later', 1, 1, 1, 'skipped']],
    ],
    [
      'one that is skipped by data',
      'a.test.ts',
      "const o = 1;\ntest('later', { skip: o }, () => { expect(1).toBe(1); });",
      [['later', 2, 1, 1, 'skipped']],
    ],
    [
      'subtests',
      'a.test.js',
      "test('all', async (t) => { await t.test('one', () => { assert.ok(f()); }); });",
      [
        ['all', 1, 1, 0],
        ['one', 1, 1, 0],
      ],
    ],
    [
      'no call of something else',
      'a.test.js',
      "contest('x', () => {}); latest.it(1); test.describe('y', () => {});",
      [],
    ],
    [
      'functions of Go',
      'a_test.go',
      'package a\n\nfunc TestA(t *testing.T) {\n\tif got := F(1); got != 2 {\n\t\tt.Fatalf("got %d", got)\n\t}\n\tif err != nil {\n\t\tt.Error(err)\n\t}\n}\n\nfunc helper(t *testing.T) { t.Error(1) }\nfunc Testing() {}\n',
      [['TestA', 3, 2, 1]],
    ],
    [
      'functions of Rust',
      'a.rs',
      '#[cfg(test)]\nmod tests {\n    #[test]\n    #[ignore]\n    fn a() {\n        assert_eq!(f(1), 2);\n        assert!(g());\n    }\n    fn b() {}\n}\n',
      [['a', 3, 2, 1, 'skipped']],
    ],
  ])('%s', async (_, path, text, expected) => {
    expect(await read(path, text)).toEqual(expected);
  });

  test('of other languages nothing is known', async () => {
    expect(await parseTestCases('a.rb', 'it "x" do end')).toBeNull();
  });
});

test.each([
  ['test_a.py', 'class A:\n    class B:\n        def test_a(self):\n            assert f()\n', ['B', 'A']],
  [
    'a.test.ts',
    "describe('outer', () => { describe.only('inner', () => { it('x', () => { ok(1); }); }); });",
    ['inner', 'outer'],
  ],
  [
    'a.rs',
    '#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert!(true);\n    }\n}\n',
    ['tests'],
  ],
  ['a_test.go', 'package a\nfunc TestA(t *testing.T) { t.Fail() }\n', []],
])('a case of %s knows what it stands in', async (path, text, within) => {
  expect((await parseTestCases(path, text))?.map((each) => each.enclosingNames)).toEqual([within]);
});
