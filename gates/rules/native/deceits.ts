import type { Seen, Weight } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { lineCounter } from '../tests/line-counter.ts';
import { Brackets, TooTangled } from './brackets.ts';
import { type Lexed, lex, nativeLanguage } from './lex.ts';
import { countOf, MAX_CHARACTERS } from './limits.ts';
import { attributesBefore } from './rust-attributes.ts';

/** Something at an offset of a file. */
interface Found {
  readonly at: number;
  readonly rule: string;
  readonly message: string;
  readonly weight: Weight;
}

/** Code of Go and Rust that cheats whoever runs it: what the patch adds of it, outside of the tests. */
export function nativeDeceits(texts: readonly ChangedText[], required: readonly string[]): Seen[] {
  const known = new Set(texts.flatMap(({ before }) => (before ?? '').split('\n').map((line) => line.trim())));
  return texts.flatMap(({ path, before, after }): Seen[] => {
    const language = nativeLanguage(path);
    if (language === null || after === null || after.length > MAX_CHARACTERS) return [];
    const lexed = lex(language, after);
    const lines = after.split('\n');
    const lineOf = lineCounter(after);
    let found: Found[];
    try {
      found = language === 'go' ? inGo(path, after, lexed) : inRust(path, after, lexed);
    } catch (error) {
      if (error instanceof TooTangled)
        return [{ file: path, line: null, rule: 'not_readable', message: error.message, weight: 'reported' }];
      throw error;
    }
    const seen: Seen[] = [];
    for (const { at, ...rest } of found.toSorted((a, b) => a.at - b.at)) {
      const line = lineOf(at);
      if (!known.has((lines[line - 1] ?? '').trim())) seen.push({ ...rest, file: path, line });
    }
    const strict = (text: string): number =>
      countOf(lex('rust', text).code, /#!?\[\s{0,20}(?:deny|forbid)\s{0,20}\(/g);
    if (
      language === 'rust' &&
      before !== null &&
      before.length <= MAX_CHARACTERS &&
      strict(before) > strict(after)
    )
      seen.push({
        file: path,
        line: null,
        rule: 'lint_suppressed',
        message: 'what was denied here no longer is',
        weight: required.includes('lint') ? 'fails' : 'reported',
      });
    return seen;
  });
}

const ENDS = 'code that ends the process well as soon as it is loaded';
const DETECTS = 'code that can tell that it is being tested';

function inGo(path: string, text: string, { code, comments }: Lexed): Found[] {
  const brackets = new Brackets(code);
  const found: Found[] = [];
  const add = (at: number, rule: string, message: string, weight: Weight = 'fails'): void => {
    found.push({ at, rule, message, weight });
  };
  for (const match of code.matchAll(/^func\s{1,10}init\s{0,10}\(|^var\b[^\n]{0,200}\bfunc\b/gm)) {
    const place = brackets.body(match.index);
    if (place === null) continue;
    const { open } = place;
    for (const exit of brackets.slice(open, place.end).matchAll(/\b(?:os|syscall|unix)\.(?:Exit|Kill)\(/g))
      add(open + exit.index, 'ends_process', ENDS);
  }
  for (const { at, text: comment } of comments) {
    if (/__attribute__\s*\(\(\s*constructor/.test(comment))
      add(at + comment.search(/__attribute__/), 'ends_process', 'C code that runs as soon as it is loaded');
    const target = /^\/\/go:linkname\s+\S+\s*(\S*)/.exec(comment);
    if (target)
      add(
        at,
        'runner_patched',
        'reaches into another package behind the compiler',
        /^(?:testing|os|runtime|syscall|internal)[./]/.test(target[1] ?? '') ? 'fails' : 'reported',
      );
  }
  if (!isTestPath(path))
    for (const { index } of text.matchAll(
      /\b(?:os\.Args\[0\]|os\.Executable\(\))[^\n]{0,200}"[^"\n]{0,40}test[^"\n]{0,20}"/g,
    ))
      if (isCode(code, index)) add(index, 'detects_test_run', DETECTS);
  return found;
}

const isCode = (code: string, at: number): boolean => code[at] !== ' ';

/** Files in which a process ends, and in which standard output is the way to talk. */
const PROGRAM = /(^|\/)(?:bin|examples|xtask)\/|(^|\/)(?:main|build)\.rs$/;

function inRust(path: string, text: string, { code }: Lexed): Found[] {
  const brackets = new Brackets(code);
  const found: Found[] = [];
  const add = (at: number, rule: string, message: string, weight: Weight = 'fails'): void => {
    found.push({ at, rule, message, weight });
  };
  const each = (pattern: RegExp, rule: string, message: string): void => {
    for (const { index } of code.matchAll(pattern)) add(index, rule, message);
  };
  for (const match of code.matchAll(/\bset_hook\s{0,5}\(/g)) {
    const open = match.index + match[0].length - 1;
    if (/\b_?exit\s{0,5}\(|\babort\s{0,5}\(/.test(brackets.slice(open, brackets.closing(open))))
      add(match.index, 'rewrites_exit_code', 'code that changes how a failed run ends');
  }
  each(
    /\bmacro_rules!\s{0,5}(?:debug_)?(?:assert(?:_eq|_ne|_matches)?|panic|unreachable)\b|\bmod\s{1,5}(?:std|core|alloc)\b/g,
    'runner_patched',
    'a macro that asserts, or the standard library, is replaced',
  );
  if (!PROGRAM.test(path) && !isTestPath(path)) {
    each(
      /\b(?:process::exit|libc::_?exit)\s{0,5}\(\s{0,5}0\s{0,5}\)/g,
      'ends_process',
      'code that ends the process well: the tests that call it end with it',
    );
    for (const { index } of text.matchAll(
      /\b(?:current_exe|env::args|thread::current\(\)\.name)\b[^\n]{0,200}"[^"\n]{0,40}(?:deps|tests?)[^"\n]{0,20}"/g,
    ))
      if (isCode(code, index)) add(index, 'detects_test_run', DETECTS);
  }
  if (/\b_?exit\s{0,5}\(/.test(code))
    for (const { index } of text.matchAll(
      /#\[\s{0,20}(?:link_section\s{0,5}=\s{0,5}"[^"\n]{0,20}(?:init_array|ctors|CRT|mod_init_func)|(?:\w{1,20}::)?ctor\b)/g,
    ))
      if (isCode(code, index)) add(index, 'ends_process', ENDS);
  found.push(...twoFaced(code, text));
  return found;
}

/** Functions that are there twice: one for the tests, and one for everybody else. */
function twoFaced(code: string, text: string): Found[] {
  const forTests = new Set<string>();
  const forOthers = new Map<string, number>();
  for (const match of code.matchAll(/\b(?:fn|const|static)\s{1,10}(\w{1,200})/g)) {
    const name = match[1] ?? '';
    const { attributes, start } = attributesBefore(code, text, match.index);
    for (const attribute of attributes) {
      if (/^cfg\s*\(\s*test\s*\)/.test(attribute)) forTests.add(name);
      else if (/^cfg\b.{0,200}\bnot\s*\(\s*test\s*\)/s.test(attribute)) forOthers.set(name, start);
    }
  }
  return [...forOthers].flatMap(([name, at]) =>
    forTests.has(name) ? [{ at, rule: 'detects_test_run', message: DETECTS, weight: 'fails' as const }] : [],
  );
}
