import { isTestPath } from '../../languages/test-paths.ts';
import { lineCounter } from '../tests/line-counter.ts';
import { Brackets } from './brackets.ts';
import { docTests } from './doc-tests.ts';
import { lex } from './lex.ts';
import {
  callsOf,
  countOf,
  type NativeCase,
  type NativeFile,
  type NativeWeakness,
  valuesOf,
} from './model.ts';
import { attributesBefore, innerAttributes } from './rust-attributes.ts';
import { cfgHolds } from './rust-cfg.ts';

const ITEMS = /\b(fn|mod)\s{1,10}(\w{1,200})/g;
const TEST = /^(?:\w{1,60}::){0,4}(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/;
const ASSERTIONS =
  /\b(?:\w{1,40}::)?(?:debug_|prop_)?assert(?:_\w{1,40})?!\s{0,5}[([{]|\b(?:panic|unreachable)!\s{0,5}[([{]|\.(?:unwrap_err|expect_err)\(/g;
const EXACT = /\b(?:\w{1,40}::)?(?:prop_)?assert_(?:eq|ne|matches|snapshot|\w{0,20}snapshot)!\s{0,5}[([{]/g;
const JOINS = /\.join\(|\brecv\w{0,20}\(|\bscope\b|\.await\b|\bWait|\.wait\(/;

/** What stands in the tests only: whole files of tests, modules for tests, and tests. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Module extends Span {
  readonly name: string;
  readonly holds: boolean;
  readonly forTests: boolean;
}

/** The tests of a file of Rust, beside the code, in a file of their own, or in the manual. */
export function rustTests(path: string, text: string): NativeFile {
  const { code, comments } = lex('rust', text);
  const brackets = new Brackets(code);
  const whole = isTestPath(path) || /(^|\/)tests?\.rs$/.test(path);
  const isBuilt = innerAttributes(brackets, text).every(
    (each) => !/^cfg\b/.test(each) || cfgHolds(inside(each)),
  );
  const modules: Module[] = [];
  const functions: {
    readonly name: string;
    readonly span: Span;
    readonly at: number;
    readonly attributes: readonly string[];
  }[] = [];
  for (const match of code.matchAll(ITEMS)) {
    const { attributes, start } = attributesBefore(code, text, match.index);
    const body = brackets.body(match.index + match[0].length);
    if (body === null) continue;
    const span = { start, end: body.end };
    if (match[1] === 'mod') {
      const conditions = attributes.filter((each) => /^cfg\b/.test(each));
      modules.push({
        ...span,
        name: match[2] ?? '',
        holds: conditions.every((each) => cfgHolds(inside(each))),
        forTests: conditions.some((each) => /\btest\b/.test(each)),
      });
    } else functions.push({ name: match[2] ?? '', span, at: match.index, attributes });
  }
  const around = (at: number): Module[] => modules.filter(({ start, end }) => start <= at && at < end);
  const isForTests = (at: number): boolean => whole || around(at).some(({ forTests }) => forTests);
  const tests = functions.filter(({ attributes }) => attributes.some(isTest));
  const helpers = new Set(
    functions.flatMap(({ name, at, span, attributes }) =>
      isForTests(at) &&
      !attributes.some(isTest) &&
      countOf(brackets.slice(span.start, span.end), ASSERTIONS) > 0
        ? [name]
        : [],
    ),
  );
  const lineOf = lineCounter(text);
  const cases = tests.map(({ name, span, at, attributes }): NativeCase => {
    const own = brackets.slice(span.start, span.end);
    const calls = callsOf(brackets.slice(at, span.end), helpers);
    const isOn = isBuilt && around(at).every(({ holds }) => holds);
    return {
      name,
      line: lineOf(at),
      text: text.slice(span.start, span.end),
      body: own.replace(name, '').replace(/\s+/g, ' '),
      assertions: countOf(own, ASSERTIONS) + calls,
      exact: countOf(own, EXACT) + calls,
      values: valuesOf(own),
      skipped: isOn ? whySkipped(attributes) : 'a condition keeps it from being built',
    };
  });
  const spans = [
    ...(whole ? [{ start: 0, end: code.length }] : []),
    ...modules.filter(({ forTests }) => forTests),
    ...tests.map(({ span }) => span),
  ];
  return {
    path,
    defines: [
      ...functions.filter(({ at, attributes }) => isForTests(at) || attributes.some(isTest)),
      ...modules.filter(({ forTests }) => forTests),
    ].map(({ name }) => name),
    code: /(^|\/)tests\/[^/]+\.rs$/.test(path) ? code : null,
    cases: [...cases, ...docTests(text, comments, code)],
    weaknesses: weaknessesIn(
      brackets,
      text,
      spans,
      tests.map(({ span }) => span),
    ),
  };
}

const isTest = (attribute: string): boolean => TEST.test(attribute);

const inside = (attribute: string): string =>
  attribute.slice(attribute.indexOf('(') + 1, attribute.lastIndexOf(')'));

function whySkipped(attributes: readonly string[]): string | null {
  if (attributes.some((each) => /^ignore\b/.test(each))) return 'it is ignored';
  if (attributes.some((each) => /^should_panic\b/.test(each))) return 'its failure counts as success';
  return attributes.every((each) => !/^cfg\b/.test(each) || cfgHolds(inside(each)))
    ? null
    : 'a condition keeps it from being built';
}

const TRIVIAL =
  /\bassert!\(\s{0,40}true\s{0,40}[,)]|\bassert_eq!\(\s{0,40}([\w.]{1,80})\s{0,40},\s{0,40}\1\s{0,40}[,)]|\bassert!\([^\n]{0,200}\|\|\s{0,5}true\b/g;
const LEAVES =
  /\bfn\s{1,10}\w{1,200}\s{0,5}\([^\n{]{0,200}\{\s{0,400}(?:if\b[^\n{]{0,100}\{\s{0,200})?return\b[^\n;]{0,60};/g;
const ENVIRONMENT = /\bif\b[^\n{]{0,200}\benv::(?:var|var_os|args)\b[^\n{]{0,200}\{\s{0,200}return\b/g;
const REPLACED = /\bmacro_rules!\s{0,5}(?:debug_)?(?:assert(?:_eq|_ne|_matches)?|panic|unreachable)\b/g;
const EXITS = /\b(?:process::(?:exit|abort)|libc::_?exit)\s{0,5}\(/g;
const CAUGHT = /(?:\blet\s{1,5}_\s{0,5}=\s{0,5}|[;{}]\s{0,200})(?:std::)?(?:panic::)?catch_unwind\s{0,5}\(/g;

function weaknessesIn(
  brackets: Brackets,
  text: string,
  spans: readonly Span[],
  tests: readonly Span[],
): NativeWeakness[] {
  const { code } = brackets;
  const found: { readonly rule: string; readonly message: string; readonly at: number }[] = [];
  const isInside = (list: readonly Span[], at: number): boolean =>
    list.some(({ start, end }) => start <= at && at < end);
  const look = (list: readonly Span[], pattern: RegExp, rule: string, message: string): void => {
    for (const { index } of code.matchAll(pattern))
      if (isInside(list, index)) found.push({ rule, message, at: index });
  };
  look(tests, TRIVIAL, 'assertion_trivial', 'an assertion that is always true');
  look(tests, LEAVES, 'test_leaves_early', 'a test that returns before it asserts anything');
  look(
    tests,
    ENVIRONMENT,
    'test_depends_on_environment',
    'a test that leaves early depending on its surroundings',
  );
  look(spans, REPLACED, 'runner_patched', 'a macro that asserts is replaced');
  look(spans, EXITS, 'test_ends_process', 'the process ends before all tests have run');
  for (const match of code.matchAll(CAUGHT)) {
    const end = brackets.closing(match.index + match[0].length - 1);
    const rest = code.slice(end, end + 200);
    if (isInside(spans, match.index) && /^\s*(?:\.\s*ok\(\)\s*)?;/.test(rest))
      found.push({
        rule: 'assertion_swallowed',
        message: 'a panic is caught and thrown away',
        at: match.index,
      });
  }
  for (const { start, end } of tests) {
    const own = brackets.slice(start, end);
    if (
      /\b(?:thread|tokio|task)::spawn\w{0,20}\s{0,5}\(/.test(own) &&
      !JOINS.test(own) &&
      countOf(own, ASSERTIONS) > 0
    )
      found.push({
        rule: 'assertion_swallowed',
        message: 'assertions run where the test does not wait for them',
        at: start,
      });
  }
  const lineOf = lineCounter(text);
  return found.toSorted((a, b) => a.at - b.at).map(({ at, ...rest }) => ({ ...rest, line: lineOf(at) }));
}
