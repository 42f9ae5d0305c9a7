import { describe, expect, test } from 'vitest';
import type { ChangedText } from '../../../../gates/engine/changed-texts.ts';
import { swallowedInRust } from '../../../../gates/rules/native/rust-swallowed.ts';

const changed = (path: string, before: string | null, after: string | null): ChangedText => ({
  path,
  from: before === null ? null : path,
  before,
  after,
});
const inFunction = (body: string): string => `fn f() {\n    ${body}\n}\n`;
const swallowed = (after: string, before: string | null = null, path = 'src/a.rs'): (number | null)[] =>
  swallowedInRust([changed(path, before, after)]).map(({ line }) => line);

describe('an error of Rust is thrown away', () => {
  test.each([
    ['by an arm of nothing', 'match g() { Ok(x) => h(x), Err(_) => {} }'],
    ['by an arm of a unit', 'match g() { Ok(x) => h(x), Err(_e) => () }'],
    ['as if there were none', 'match g() { Ok(x) => Ok(x), Err(_) => Ok(0) }'],
    ['by an answer of yes', 'match g() { Ok(_) => h(), Err(_) => return true }'],
    ['by a panic that nobody hears', 'let _ = std::panic::catch_unwind(|| g());'],
    ['by a panic with a default', 'panic::catch_unwind(g).unwrap_or_else(|_| 0)'],
    ['of a file that is not written', 'fs::write(path, text).ok();'],
  ])('%s', (_, body) => {
    const text = inFunction(body);
    expect(swallowed(text)).toEqual([2]);
    expect(swallowed(text, text)).toEqual([]);
  });

  test.each([['let _ = g();'], ['g().ok();'], ['g().unwrap_or(0)'], ['.load(path).unwrap_or_default()']])(
    'that was handed on before: %s',
    (body) => {
      const before = inFunction(body.startsWith('.') ? 'self.load(path)?;' : 'g()?;');
      expect(swallowed(inFunction(body.replace(/^\./, 'self.')), before)).toEqual([2]);
    },
  );

  test('but not where that is an answer, in a test, or moved', () => {
    const text = inFunction('match g() { Ok(x) => h(x), Err(_) => {} }');
    expect(swallowed(inFunction('match rx.try_recv() { Ok(x) => h(x), Err(_) => {} }'))).toEqual([]);
    expect(swallowed(inFunction('match g() { Ok(x) => Some(x), Err(_) => None }'))).toEqual([]);
    expect(swallowed(inFunction('match g() { Err(error) => Err(error.into()), ok => ok }'))).toEqual([]);
    expect(swallowed(inFunction('let _ = fs::remove_file(path);'))).toEqual([]);
    expect(swallowed(inFunction('text.parse().unwrap_or(1)'), inFunction('text.parse()?'))).toEqual([]);
    expect(swallowed(inFunction('list.first().unwrap_or(&1)'), inFunction('list.first()?'))).toEqual([]);
    expect(swallowed(`#[cfg(test)]\nmod tests {\n${text}}\n`)).toEqual([]);
    expect(swallowed(text, null, 'tests/a.rs')).toEqual([]);
    expect(swallowedInRust([changed('a.rs', text, null), changed('b.rs', null, text)])).toEqual([]);
  });

  test('is looked for in bounded time', () => {
    for (const piece of ['Err(_) =>', 'match ', 'a::', 'a(', 'let _ = ', '.ok();', 'a'.repeat(100)])
      expect(swallowed(piece.repeat(200_000 / piece.length))).toBeInstanceOf(Array);
  });
});
