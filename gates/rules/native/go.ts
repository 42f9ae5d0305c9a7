import { lineCounter } from '../tests/line-counter.ts';
import { Brackets } from './brackets.ts';
import { isBuilt } from './build-tags.ts';
import { asksThrough, type GoHelpers } from './go-helpers.ts';
import { lex } from './lex.ts';
import {
  callsOf,
  countOf,
  type NativeCase,
  type NativeFile,
  type NativeWeakness,
  valuesOf,
} from './model.ts';

/** Tests, and methods of suites, which take nothing. `Testing` and `Testhours` are no tests. */
const CASES =
  /^func\s{1,10}(?:((?:Test|Fuzz|Example)(?![a-z])\w{0,200})\s{0,10}\(|\(\s{0,10}\w{1,80}\s{1,10}\*?\w{1,80}\s{0,10}\)\s{1,10}(Test(?![a-z])\w{0,200})\s{0,10}\(\s{0,10}\))/gm;
const FUNCTIONS = /^func\s{1,10}(\w{1,200})\s{0,10}\(/gm;
const ASSERTIONS =
  /\b(?!fmt\.|log\.|errors\.|\w{0,30}[eE]rr\.Error\b)\w{1,40}\.(?:Errorf?|Fatalf?|Fail(?:Now)?)\s{0,5}\(|\b(?:assert|require|is|qt|check|must)\.\w{1,60}\s{0,5}\(|\bExpect\w{0,20}\s{0,5}\(|\bs\.(?:Equal|NotEqual|True|False|NoError|Nil|NotNil|Len|Contains|Require|Assert)\w{0,20}\s{0,5}\(/g;
/** Whether there is an error asks no more than `NoError` does. */
const EXACT =
  /\b(?:assert|require|s)\.(?:Equal|EqualValues|EqualError|ElementsMatch|Len|ErrorIs|ErrorAs|Contains|JSONEq|Same|Exactly|InDelta)\w{0,10}\s{0,5}\(|\bif\b[^\n{]{0,300}?(?:[!=]=(?!\s{0,5}nil\b)|[<>]=?)|\bDeepEqual\(|\bcmp\.Diff\(|\berrors\.(?:Is|As)\(/g;
const SKIPS = /\b\w{1,20}\.Skip(?:f|Now)?\s{0,5}\(/g;
/** To skip where another system runs is no skip here. */
const ELSEWHERE =
  /\bif\s{1,5}(?:runtime\.GOOS\s{0,5}==\s{0,5}"(?!linux|unix)\w{2,12}"(?:\s{0,5}\|\|\s{0,5})?){1,6}\s{0,5}\{\s{0,40}\w{1,20}\.Skip(?:f|Now)?\s{0,5}\(/g;
const WAITS = /\bWait\(|<-|\bselect\s{0,5}\{|\berrgroup\b|\bsynctest\b|\.Sleep\(/;
const OUTPUT = /^\/\/\s*(?:Unordered\s+)?Output:/i;

/** What cannot be run at all, by the rules of `go test` on Linux. */
const OTHER_SYSTEMS =
  /_(?:windows|darwin|freebsd|netbsd|openbsd|dragonfly|plan9|solaris|illumos|aix|android|ios|js|wasip1)(?:_\w+)?_test\.go$/;
export const isGoTest = (path: string): boolean =>
  path.endsWith('_test.go') &&
  !/(^|\/)(?:[._][^/]*|testdata|vendor)(\/|$)/.test(path) &&
  !/(^|\/)[._][^/]*$/.test(path) &&
  !OTHER_SYSTEMS.test(path);

/** Most places of one kind that are told. */
const MAX_PLACES = 200;

interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly pattern: RegExp;
}

const RULES: readonly Rule[] = [
  {
    rule: 'assertion_trivial',
    message: 'an assertion that is always true',
    pattern:
      /\b(?:assert|require)\.(?:True\(\s{0,5}\w{1,20}\s{0,5},\s{0,5}true|Equal\(\s{0,5}\w{1,20}\s{0,5},\s{0,5}([\w.]{1,80})\s{0,5},\s{0,5}\1)\s{0,5}[,)]|(?:\bif|&&)\s{1,5}(?:false\b|(\d{1,9})\s{0,5}==\s{0,5}(?!\2\b)\d{1,9}\b|(\d{1,9})\s{0,5}!=\s{0,5}\3\b)/g,
  },
  {
    rule: 'test_depends_on_environment',
    message: 'a test that leaves early, or does nothing, depending on its surroundings',
    pattern:
      /\bif\b[^\n{]{0,200}(?:\bos\.(?:Getenv|LookupEnv|Args)\b|\btesting\.(?:Short|Verbose|CoverMode)\(\))[^\n{]{0,200}\{\s{0,200}(?:return\b|\w{1,20}\.Skip)/g,
  },
  {
    rule: 'assertion_swallowed',
    message: 'assertions whose failure is caught and thrown away',
    pattern:
      /(?:_\s{0,5}=\s{0,5}|[{;]\s{0,100}|^[ \t]{0,40}(?:defer[ \t]{1,5})?)recover\(\)[ \t]{0,5}(?=[;}\n])|&testing\.T\{|\bnew\(testing\.T\)|\bvar\s{1,5}\w{1,20}\s{1,5}testing\.T\b/gm,
  },
  {
    rule: 'test_leaves_early',
    message: 'a test that returns before it asserts anything',
    pattern:
      /^func[ \t]{1,10}(?:Test|Fuzz)\w{0,200}\([^\n]{0,300}\{\s{0,400}(?:if[ \t]{1,5}(?:true|!false)[ \t]{0,5}\{\s{0,100})?return\b/gm,
  },
];

/** The tests of a file of Go; none where `go test` does not look. */
export function goTests(path: string, text: string, known: GoHelpers = new Map()): NativeFile {
  const lexed = lex('go', text);
  if (!isGoTest(path)) return { path, cases: [], weaknesses: [], defines: [], code: null };
  const { code } = lexed;
  const brackets = new Brackets(code);
  const built = isBuilt(lexed.comments, code) ? null : 'a tag keeps it from being built';
  const helpers = helpersOf(brackets);
  const lineOf = lineCounter(text);
  const cases = [...code.matchAll(CASES)].flatMap((match): NativeCase[] => {
    const name = match[1] ?? match[2] ?? '';
    const start = match.index;
    const end = brackets.body(start + match[0].length)?.end ?? code.length;
    const own = brackets.slice(start, end);
    if (name === 'TestMain' && /\*testing\.M\b/.test(own)) return [];
    const calls = callsOf(own, helpers) + asksThrough(own, known, helpers);
    const whole = text.slice(start, end);
    const skips = countOf(own, SKIPS) - countOf(whole, ELSEWHERE);
    const outputs = lexed.comments.filter(
      ({ at, text: comment }) => at > start && at < end && OUTPUT.test(comment),
    ).length;
    return [
      {
        name,
        line: lineOf(start),
        text: whole,
        body: own.replace(name, '').replace(/\s+/g, ' '),
        assertions: countOf(own, ASSERTIONS) + calls + outputs,
        exact: countOf(own, EXACT) + calls + outputs,
        values: valuesOf(own),
        skipped: built ?? (skips > 0 ? 'it skips itself' : null),
      },
    ];
  });
  return { path, cases, weaknesses: weaknesses(brackets, text), defines: [], code: null };
}

/** Functions that are given a test and assert something: a call of them counts as an assertion. */
function helpersOf(brackets: Brackets): Set<string> {
  const names = new Set<string>();
  for (const match of brackets.code.matchAll(FUNCTIONS)) {
    const [, name = ''] = match;
    if (/^(?:Test|Fuzz|Example)(?![a-z])/.test(name)) continue;
    const body = brackets.body(match.index);
    if (body && countOf(brackets.slice(body.open, body.end), ASSERTIONS) > 0) names.add(name);
  }
  return names;
}

function weaknesses(brackets: Brackets, text: string): NativeWeakness[] {
  const { code } = brackets;
  const found: { readonly rule: string; readonly message: string; readonly at: number }[] = RULES.flatMap(
    ({ rule, message, pattern }) =>
      [...code.matchAll(pattern)].slice(0, MAX_PLACES).map(({ index }) => ({ rule, message, at: index })),
  );
  for (const match of code.matchAll(FUNCTIONS)) {
    const body = brackets.body(match.index);
    const own = body ? brackets.slice(match.index, body.end) : '';
    if (/\*testing\.M\b/.test(own) && !/\.Run\(\)/.test(own))
      found.push({
        rule: 'runner_patched',
        message: 'the start of all tests runs none of them',
        at: match.index,
      });
    if (/\bgo\s{1,10}func\b/.test(own) && countOf(own, ASSERTIONS) > 0 && !WAITS.test(own))
      found.push({
        rule: 'assertion_swallowed',
        message: 'assertions run where the test does not wait for them',
        at: match.index,
      });
    for (const exit of own.matchAll(/\b(?:os|syscall)\.Exit\(([^\n)]{0,100})/g))
      if (!isFair(exit[1] ?? '', own))
        found.push({
          rule: 'test_ends_process',
          message: 'the process ends before all tests have run, or in spite of them',
          at: match.index + exit.index,
        });
  }
  const lineOf = lineCounter(text);
  return found.toSorted((a, b) => a.at - b.at).map(({ at, ...rest }) => ({ ...rest, line: lineOf(at) }));
}

/** `m.Run(`, what it gave, or a number that says that something is wrong. */
const isFair = (value: string, own: string): boolean =>
  /^\s*\w+\.Run\(/.test(value) ||
  /^\s*[1-9]\d*\s*$/.test(value) ||
  (/^\s*\w+\s*$/.test(value) && new RegExp(`\\b${value.trim()}\\s*:?=\\s*\\w+\\.Run\\(`).test(own));
