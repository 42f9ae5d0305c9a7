import { describe, expect, test } from 'vitest';
import { parseSource } from '../../../../../gates/code/parsing/parse-source.ts';
import { grammarOfPath, languageOfGrammar } from '../../../../../gates/core/language.ts';
import {
  applyMutant,
  generateMutants,
  sampleMutants,
} from '../../../../../gates/tests/experiments/perturbations/mutants.ts';

async function mutants(path: string, source: string, lines?: readonly number[]): Promise<string[]> {
  const grammar = grammarOfPath(path);
  if (grammar === null) throw new Error(path);
  const { root } = await parseSource(grammar, source);
  const all = new Set(lines ?? source.split('\n').map((_, at) => at + 1));
  return generateMutants(root, languageOfGrammar(grammar), all).map((each) =>
    applyMutant(source, each).trim(),
  );
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);

describe('mutants change one place each', () => {
  test.each<[string, string, string[]]>([
    ['a.py', 'return a < b', ['return a >= b', 'return None']],
    ['a.py', 'x = a and True', ['x = a or True', 'x = a and False']],
    ['a.js', 'x = a === 1;', ['x = a !== 1;', 'x = a === 2;']],
    ['a.ts', 'const x: 1 | 2 = f(true);', ['const x: 1 | 2 = f(false);']],
    [
      'a.go',
      'package a\nfunc F(n int) bool { return n > 2 }',
      [
        'package a\nfunc F(n int) bool { return n <= 2 }',
        'package a\nfunc F(n int) bool { return n > 3 }',
        'package a\nfunc F(n int) bool { return *new(bool);  return n > 2 }',
      ],
    ],
    [
      'a.rs',
      'fn f(n: u8) -> bool { n + 1 == 3 }',
      [
        'fn f(n: u8) -> bool { n + 1 != 3 }',
        'fn f(n: u8) -> bool { n - 1 == 3 }',
        'fn f(n: u8) -> bool { n + 2 == 3 }',
        'fn f(n: u8) -> bool { n + 1 == 4 }',
        'fn f(n: u8) -> bool { if true { return false; }  n + 1 == 3 }',
      ],
    ],
    ['a.js', "import x from '../mutants/1.js'; const s = 'a + 1';", []],
    // What answers nothing already is not emptied: nobody could notice.
    ['a.rs', 'fn zone() -> u32 { 0 }', ['fn zone() -> u32 { 1 }']],
    ['a.go', 'package a\nfunc F() error { return nil }', []],
  ])('%s: %s', async (path, source, expected) => {
    expect((await mutants(path, source)).sort(inOrder)).toEqual(expected.sort(inOrder));
  });

  test.each<[string, string, string]>([
    [
      'a.py',
      'def f(n):\n    x = g(n)\n    return x\n',
      'def f(n):\n    return None\n    x = g(n)\n    return x',
    ],
    ['a.py', 'def f(n): return g(n)', 'def f(n): return None; return g(n)'],
    ['a.js', 'const f = (n) => g(n);', 'const f = (n) => undefined;'],
    ['a.js', 'class A { f(n) { g(n); } }', 'class A { f(n) { return undefined;  g(n); } }'],
    [
      'a.go',
      'package a\nfunc f(n int) (out []int, err error) { return g(n) }',
      'package a\nfunc f(n int) (out []int, err error) { return *new([]int), *new(error);  return g(n) }',
    ],
    ['a.go', 'package a\nfunc (a A) f() { g() }', 'package a\nfunc (a A) f() { return;  g() }'],
    [
      'a.rs',
      'fn f(n: &str) -> Result<Vec<u8>, E> { g(n) }',
      'fn f(n: &str) -> Result<Vec<u8>, E> { if true { return Ok(Vec::new()); }  g(n) }',
    ],
    [
      'a.rs',
      'impl A { fn f(&mut self) { self.g(); } }',
      'impl A { fn f(&mut self) { if true { return (); }  self.g(); } }',
    ],
  ])('a function that does nothing, in %s: %s', async (path, source, expected) => {
    expect(await mutants(path, source)).toContain(expected);
  });

  test.each([
    ['a.py', 'def f():\n    raise NotImplementedError\n'],
    ['a.js', 'run(() => g());'],
    ['a.rs', '#[cfg(test)]\nmod tests {\n    fn f() -> u8 { g() + 1 }\n}'],
    ['a.rs', 'fn f() -> Clock { g() }'],
  ])(
    'none of what has no name, nothing to do, no known zero or is a test, in %s: %s',
    async (path, source) => {
      expect(await mutants(path, source)).toEqual([]);
    },
  );

  test('on the lines of the patch only', async () => {
    expect(await mutants('a.py', 'x = 1\ny = 2\n', [2])).toEqual(['x = 1\ny = 3']);
  });
});

test('of many mutants the same ones are picked each time, every line before a second one of any', () => {
  const all = [1, 1, 1, 2, 3].map((line, at) => ({
    path: 'a.py',
    line,
    start: at,
    end: at,
    replacement: '',
    description: `${at}`,
    coarse: false,
  }));
  const first = sampleMutants(all, 3);
  expect(first.map(({ line }) => line).sort((a, b) => a - b)).toEqual([1, 2, 3]);
  expect(sampleMutants(all.toReversed(), 3)).toEqual(first);
  expect(sampleMutants(all, 10)).toHaveLength(5);
});
