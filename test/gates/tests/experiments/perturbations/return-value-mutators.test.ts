import { spawnSync } from 'node:child_process';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { grammarOfPath } from '../../../../../gates/core/language.ts';
import { createReturnValueRewrite } from '../../../../../gates/tests/experiments/perturbations/return-value-mutators/mutate-return-values.ts';
import type { ReturnValueMutation } from '../../../../../gates/tests/experiments/perturbations/rewrite-functions.ts';
import { rewriteFunctionsInText } from '../../../../../gates/tests/experiments/perturbations/rewrite-functions.ts';

async function comingTo(
  path: string,
  source: string,
  how: ReturnValueMutation,
  named: readonly string[] = [],
): Promise<string> {
  const grammar = grammarOfPath(path);
  if (grammar === null) throw new Error(path);
  return (
    (await rewriteFunctionsInText(grammar, path, source, createReturnValueRewrite(how, new Set(named)))) ??
    source
  );
}

const SHOP = `
function half(n) { if (n < 0) throw new TypeError('below zero'); return n / 2; }
const twice = (n) => half(n * 4);
class Cart { items = 3; static of() { return new Cart(); } get size() { return this.items; } async load() { return ['a', 1]; } *each() { yield 1; } }
`;

async function asked(how: ReturnValueMutation, question: string): Promise<unknown> {
  const context = createContext({ process, Promise, Error, TypeError, RangeError });
  runInContext(await comingTo('shop.js', SHOP, how), context);
  try {
    return await runInContext(question, context);
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
}

describe('code of JavaScript comes to something else', () => {
  test.each<[ReturnValueMutation, string, unknown]>([
    ['other value', 'half(4)', 3],
    ['other value', 'Cart.of().size', 5],
    ['other value', 'new Cart().load()', ['a~', 1]],
    ['other value', '[...new Cart().each()]', [1]],
    ['other value', 'half(-1)', 'TypeError: below zero'],
    ['fails', 'half(4)', 'Error: switched off'],
    ['fails', 'new Cart().load()', 'Error: switched off'],
    ['nothing', 'half(4)', undefined],
    ['no failure', 'half(-1)', undefined],
    ['no failure', 'half(4)', 2],
    ['other failure', 'half(-1)', 'Error: another failure'],
  ])('%s: %s', async (how, question, answer) => {
    expect(JSON.stringify(await asked(how, question))).toBe(JSON.stringify(answer));
  });

  test('at its border only: what one function hands to another stays as it is', async () => {
    expect(await asked('other value', 'twice(1)')).toBe(3);
  });
});

const PRICE = `
import asyncio
class Low(ValueError):
    pass
def half(n):
    if n < 0:
        raise Low("below zero")
    return n / 2
def twice(n):
    return half(n * 4)
class Cart:
    def __init__(self):
        self.items = [1]
    @property
    def size(self):
        return "3 of 4"
    async def load(self):
        return self
def told(work):
    try:
        return repr(work())
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
`;
const python = spawnSync('python3', ['--version']).status === 0;

describe.skipIf(!python)('code of Python comes to something else', () => {
  test.each<[ReturnValueMutation, readonly (readonly [string, string])[]]>([
    [
      'other value',
      [
        ['half(4)', '3.0'],
        ['twice(1)', '3.0'],
        ['Cart().size', "'4 of 5'"],
        ['asyncio.run(Cart().load()).items', '[2]'],
        ['half(-1)', 'Low: below zero'],
      ],
    ],
    ['fails', [['half(4)', 'RuntimeError: switched off']]],
    ['nothing', [['half(4)', 'None']]],
    ['no failure', [['half(-1)', 'None']]],
    ['other failure', [['half(-1)', 'OtherFailure: another failure']]],
  ])('%s', async (how, questions) => {
    const made = (await comingTo('price.py', PRICE, how)).replace(/@.*\n(?=def told)/, '');
    const lines = questions.map(([question]) => `print(told(lambda: ${question}))`);
    const { stdout } = spawnSync('python3', ['-c', `${made}\n${lines.join('\n')}`], { encoding: 'utf8' });
    expect(stdout.trim().split('\n')).toEqual(questions.map(([, answer]) => answer));
  });
});

describe('in Go and Rust only what tests name is changed, and only where its type says how', () => {
  test.each<[string, string, ReturnValueMutation, string[]]>([
    [
      'a.go',
      'package a\nfunc N(s string) (int, error) { return 1, nil }\nfunc M() int { return 1 }\n',
      'other value',
      ['assay0++', 'if assay1 == nil', 'func M() int { return 1 }'],
    ],
    [
      'a.go',
      'package a\nfunc N(s string) (int, error) { return 1, nil }\n',
      'fails',
      ['*new(int), assayFailure'],
    ],
    ['a.go', 'package a\nfunc N() *int { return nil }\n', 'other value', ['func N() *int { return nil }']],
    [
      'a.rs',
      'pub enum E { A, B(u8) }\npub fn N(s: u8) -> Result<u8, E> { Ok(s) }\n',
      'other failure',
      ['Err(E::A { .. }) => Err(E::B(Default::default()))', 'Err(_) => Err(E::A)'],
    ],
    ['a.rs', 'pub fn N(s: &str) -> &str { s }\n', 'fails', ['pub fn N(s: &str) -> &str { s }']],
    ['a.rs', 'pub fn N() -> Vec<u8> { vec![] }\n', 'other value', ['wrapping_add(1)']],
  ])('%s: %s', async (path, source, how, pieces) => {
    const made = await comingTo(path, source, how, ['N']);
    for (const piece of pieces) expect(made).toContain(piece);
  });
});

describe('what cannot be made to fail is not made to answer nothing either', () => {
  test.each<[string, string]>([
    ['a.rs', 'pub struct E { at: u8 }\npub fn N(s: u8) -> Result<u8, E> { Ok(s) }\n'],
    ['a.rs', 'pub fn N(s: u8) -> Result<u8, other::Failure> { Ok(s) }\n'],
    ['a.rs', 'pub fn N(s: u8) -> std::io::Result<u8> { Ok(s) }\n'],
    ['a.rs', 'pub enum E {}\npub fn N(s: u8) -> Result<Option<u8>, E> { Ok(Some(s)) }\n'],
  ])('%s: %s', async (path, source) => {
    expect(await comingTo(path, source, 'fails', ['N'])).toBe(source);
    expect(await comingTo(path, source, 'nothing', ['N'])).toBe(source);
  });

  test.each<[string, string]>([
    ['a.rs', 'pub enum E { A }\npub fn N(s: u8) -> Result<u8, E> { Ok(s) }\n'],
    ['a.rs', 'pub fn N(s: u8) -> u8 { s }\n'],
    ['a.go', 'package a\nfunc N() (int, error) { return 1, nil }\n'],
    ['a.go', 'package a\nfunc N() int { return 1 }\n'],
    ['a.py', 'def N():\n    return 1\n'],
    ['a.js', 'function N() { return 1; }\n'],
  ])('the others are: %s: %s', async (path, source) => {
    for (const how of ['fails', 'nothing'] as const)
      expect(await comingTo(path, source, how, ['N']), how).not.toBe(source);
  });
});
