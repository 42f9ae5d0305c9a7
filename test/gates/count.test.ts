import { describe, expect, test } from 'vitest';
import { count, weakening } from '../../gates/rules/tests/count.ts';
import { codeOnly } from '../../gates/rules/tests/strip.ts';

const how = (path: string, before: string, after: string): string | null =>
  weakening(count(path, before), count(path, after));

describe('a test is weaker when it', () => {
  test.each([
    [
      'a.test.js',
      'has a case less',
      "test('a', () => {});\ntest('b', () => {});",
      "test('a', () => {});",
      '1 test cases instead of 2',
    ],
    [
      'a.test.js',
      'has an assertion less',
      'expect(a).toBe(1); expect(b).toBe(2);',
      'expect(a).toBe(1);',
      '1 assertions instead of 2',
    ],
    [
      'a.test.js',
      'has an assertion in a comment',
      'assert.equal(a, 1);',
      '// assert.equal(a, 1);',
      '0 assertions instead of 1',
    ],
    ['a.test.js', 'has an assertion in a string', 'assert(a)', '"assert(a)"', '0 assertions instead of 1'],
    [
      'a.test.ts',
      'asks less exactly',
      'expect(a).toBe(3)',
      'expect(a).toBeTruthy()',
      '0 exact assertions instead of 1',
    ],
    ['a.test.js', 'is skipped', "it('a', f)", "it.skip('a', f)", '1 skipped instead of 0'],
    [
      'a.test.js',
      'is skipped by an option',
      "test('a', f)",
      "test('a', { skip: true }, f)",
      '1 skipped instead of 0',
    ],
    ['a.test.js', 'is turned off by name', "it('a', f)", "xit('a', f)", '1 skipped instead of 0'],
    [
      'a.test.js',
      'is left out by the focus on another',
      "it('a', f); it('b', f)",
      "it('a', f); it('b', f); it.only('c', f)",
      '1 focused instead of 0',
    ],
    [
      'a.test.js',
      'ends the process',
      "test('a', f)",
      "process.exit(0); test('a', f)",
      '1 exits of the process instead of 0',
    ],
    ['a.test.js', 'is empty', "test('a', () => assert.ok(1))", '', '0 test cases instead of 1'],
    [
      'test_a.py',
      'has a case less',
      'def test_a():\n  pass\nasync def test_b():\n  pass',
      'def test_a():\n  pass',
      '1 test cases instead of 2',
    ],
    ['test_a.py', 'asks less exactly', 'assert f(1) == 2', 'assert f(1)', '0 exact assertions instead of 1'],
    [
      'test_a.py',
      'is expected to fail',
      'def test_a(): pass',
      '@pytest.mark.xfail\ndef test_a(): pass',
      '1 skipped instead of 0',
    ],
    [
      'test_a.py',
      'is skipped as a module',
      'x = 1',
      'pytestmark = pytest.mark.skip',
      '1 skipped instead of 0',
    ],
    [
      'test_a.py',
      'has an assertion in a docstring',
      'assert a == 1',
      '"""\nassert a == 1\n"""',
      '0 assertions instead of 1',
    ],
    [
      'a_test.go',
      'is skipped',
      'func TestA(t *testing.T) { t.Fatal() }',
      'func TestA(t *testing.T) { t.Skip(); t.Fatal() }',
      '1 skipped instead of 0',
    ],
    [
      'tests/a.rs',
      'is ignored',
      '#[test]\nfn a() { assert_eq!(1, 1); }',
      '#[test]\n#[ignore]\nfn a() { assert_eq!(1, 1); }',
      '1 skipped instead of 0',
    ],
    [
      'ATest.java',
      'is disabled',
      '@Test void a() {}',
      '@Disabled @Test void a() {}',
      '1 skipped instead of 0',
    ],
  ])('%s %s', (path, _, before, after, expected) => {
    expect(how(path, before, after)).toContain(expected);
  });
});

describe('a test is not weaker when it', () => {
  test.each([
    ['a.test.js', 'expects another value', 'expect(a).toBe(1)', 'expect(a).toBe(2)'],
    ['a.test.js', 'has more cases', "test('a', f)", "test('a', f)\ntest('b', f)"],
    ['a.test.js', 'speaks of skipping', "test('a', f)", "test('skip: it.skip( is forbidden', f)"],
    [
      'a.test.js',
      'is formatted anew',
      "test('a',()=>{assert.equal(1,1)})",
      "test('a', () => {\n  assert.equal(1, 1);\n});",
    ],
    ['a.test.js', 'goes through a table', "test('a', f)", "test.each([1, 2])('a', f)"],
    ['test_a.py', 'says skip in a comment', 'def test_a(): pass', '# pytest.skip()\ndef test_a(): pass'],
    ['a.test.js', 'turns skipping off', "test('a', f)", "test('a', { skip: false }, f)"],
  ])('%s %s', (path, _, before, after) => {
    expect(how(path, before, after)).toBeNull();
  });
});

test.each([
  ['a.js', 'a /* b\nc */ d // e\nf', 'a     \n     d     \nf'],
  ['a.js', 'x = `a\nb` + 1', 'x =   \n   + 1'],
  ['a.js', 'x = /["]/; y\nz', 'x = /[      \nz'],
  ['a.py', '"""doc\n""" # c\nx = 1', '      \n       \nx = 1'],
  ['a.js', '"a\\"b" + c', '       + c'],
  ['a.js', '/* never closed', '               '],
])('%s: only code is left of %o', (path, text, code) => {
  expect(codeOnly(path, text)).toBe(code);
});
