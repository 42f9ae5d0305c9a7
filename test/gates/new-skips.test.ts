import { expect, test } from 'vitest';
import { newSkips } from '../../gates/rules/tests/new-skips.ts';

const ONE = "test('one', () => assert(f()));\n";

test.each<[string, string, string, string, number]>([
  ['a new case that is skipped', 'a.test.js', ONE, `${ONE}test.skip('two', () => assert(f()));\n`, 1],
  [
    'a new case that is skipped somewhere',
    'a.test.js',
    ONE,
    `${ONE}test.skipIf(x)('two', () => assert(f()));\n`,
    1,
  ],
  ['a case that was there', 'a.test.js', ONE, "test.skip('one', () => assert(f()));\n", 0],
  ['a case under another name', 'a.test.js', ONE, "test.skip('first', () => assert(f()));\n", 0],
  ['a group around what was there', 'a.test.js', ONE, `describe.skip('all', () => {\n${ONE}});\n`, 0],
  [
    'a new case in Python',
    'test_a.py',
    'def test_one():\n    assert f()\n',
    'def test_one():\n    assert f()\n\n\n@pytest.mark.skipif(x, reason="y")\ndef test_two():\n    assert f()\n',
    1,
  ],
  [
    'a mark for the whole file',
    'test_a.py',
    'def test_one():\n    assert f()\n',
    'pytestmark = pytest.mark.skip\n\n\ndef test_one():\n    assert f()\n',
    0,
  ],
])('%s', (_, path, before, after, skips) => {
  expect(newSkips(path, before, after)).toBe(skips);
});
