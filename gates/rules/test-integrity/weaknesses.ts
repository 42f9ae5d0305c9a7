import { closing, endOfBlock } from '../tests/cases.ts';
import { codeOnly } from '../tests/strip.ts';

/** Something in a test that makes it say yes too easily. */
export interface Weakness {
  readonly rule: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

type Language = 'javascript' | 'python' | 'go' | 'rust';

const languageOf = (path: string): Language | null =>
  /\.[cm]?[jt]sx?$/.test(path)
    ? 'javascript'
    : /\.pyi?$/.test(path)
      ? 'python'
      : path.endsWith('.go')
        ? 'go'
        : path.endsWith('.rs')
          ? 'rust'
          : null;

interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly patterns: Partial<Readonly<Record<Language, RegExp>>>;
}

/** Each pattern looks at one line only, and its repetitions are limited: linear on any input. */
const RULES: readonly Rule[] = [
  {
    rule: 'assertion_trivial',
    message: 'an assertion that is always true',
    patterns: {
      javascript:
        /(?<![\w$.])(?:assert(?:\.ok)?|expect)[ \t]*\([ \t]*(?:true|!0|!!1|\d+)[ \t]*[,)]|(?:[eE]qual\w{0,20}[ \t]*\(|\bassert\.is\()[ \t]*([\w$.]{1,80})[ \t]*,[ \t]*\1[ \t]*[,)]|\bexpect\([ \t]*([\w$.]{1,80})[ \t]*\)\.to(?:Be|Equal|StrictEqual)\([ \t]*\2[ \t]*\)|\b(?:assert|expect)\b[^\n]{0,200}\|\|[ \t]*(?:true|1)\b/g,
      python:
        /(?<![\w.])assert[ \t]+(?:True|1|not[ \t]+False|\([ \t]*True[ \t]*\))[ \t]*(?=[,\n]|$)|(?<![\w.])assert\b[^\n]{0,200}\bor[ \t]+(?:True|1)\b|\.assert(?:True\([ \t]*True|False\([ \t]*False)[ \t]*[,)]|\.assert(?!_)\w{1,20}\([ \t]*([\w.]{1,80})[ \t]*,[ \t]*\1[ \t]*[,)]|\.assert\w{1,20}\([^\n]{0,200}\bor[ \t]+True\b|(?<![\w.])assert[ \t]+([\w.]{1,80})[ \t]*==[ \t]*\2[ \t]*(?=[,\n]|$)/g,
      go: /\b(?:assert|require)\.(?:True\([ \t]*t[ \t]*,[ \t]*true|Equal\([ \t]*t[ \t]*,[ \t]*([\w.]{1,80})[ \t]*,[ \t]*\1)[ \t]*[,)]|\bif[ \t]+(?:false\b|[^\n{]{0,200}&&[ \t]*false\b)/g,
      rust: /\bassert!\([ \t]*true[ \t]*[,)]|\bassert_eq!\([ \t]*([\w.]{1,80})[ \t]*,[ \t]*\1[ \t]*[,)]|\bassert!\([^\n]{0,200}\|\|[ \t]*true\b/g,
    },
  },
  {
    rule: 'test_depends_on_environment',
    message: 'a test that leaves early, or does nothing, depending on its surroundings',
    patterns: {
      javascript:
        /\bif[ \t]*\([^\n]{0,200}(?:process\.(?:env|argv|platform)|process\.execArgv)[^\n]{0,200}\)[ \t]*\{?[ \t]*(?:return|(?:t|this|ctx)\.skip|process\.exit)/g,
      python:
        /\bif\b[^\n]{0,200}\bos\.(?:environ|getenv)\b[^\n]{0,200}:[ \t]*(?:\n[ \t]{0,40})?(?:return|pytest\.skip|self\.skipTest)\b/g,
      go: /\bif[^\n]{0,200}\bos\.(?:Getenv|LookupEnv)\([^\n]{0,200}\{[ \t]*(?:\n[ \t]{0,40})?(?:return|t\.Skip)/g,
    },
  },
  {
    rule: 'runner_patched',
    message: 'the test runner or its assertions are replaced',
    patterns: {
      javascript:
        /\b(?:assert|expect|TestContext|Test)(?:\.prototype)?(?:\.\w{1,40})?[ \t]*=(?![=>])[ \t]*(?:async\b|function\b|\(|\w+[ \t]*=>)|\b(?:globalThis|global)\.(?:it|test|describe|expect|assert)[ \t]*=(?!=)|\bmock\.method\([ \t]*assert\b|\bprocess\.exitCode[ \t]*=(?!=)|\bObject\.(?:assign|defineProperty)\([ \t]*(?:assert|expect)\b/g,
      python:
        /\b(?:unittest\.)?(?:TestCase|TestResult|TextTestResult|TextTestRunner|Runner)\.\w{1,40}[ \t]*=(?!=)|\bdef[ \t]+pytest_\w{1,60}|\bhookwrapper[ \t]*=|\bbuiltins\.\w{1,40}[ \t]*=(?!=)|\bdef[ \t]+__eq__[^\n]{0,100}:[ \t]*(?:\n[ \t]{0,40})?return[ \t]+True\b|\bsetattr\([ \t]*(?:unittest|pytest|_pytest)\b/g,
      go: /\bfunc[ \t]+TestMain\(/g,
    },
  },
];

const SUPPRESSED =
  /\bsuppress\([^\n)]{0,200}\b(?:BaseException|Exception|AssertionError)\b|\bpanic::catch_unwind\b/g;

/** Longest test, in characters, and most places of one kind that are looked at: nobody writes more by hand. */
const MAX_CHARACTERS = 512 * 1_024;
const MAX_PLACES = 500;

/** A weakness at an offset instead of a line. */
interface At extends Omit<Weakness, 'line'> {
  readonly at: number;
}

/** Everything in a test file that makes it say yes too easily. */
export function weaknessesOf(path: string, text: string): Weakness[] {
  const language = languageOf(path);
  if (language === null) return [];
  if (text.length > MAX_CHARACTERS)
    return [{ rule: 'test_too_large', line: 1, message: 'a test file that is too large to be looked at' }];
  const code = codeOnly(path, text);
  const found = RULES.flatMap(({ rule, message, patterns }): At[] => {
    const pattern = patterns[language];
    return pattern ? places(code, pattern).map((match) => ({ rule, message, at: match.index })) : [];
  });
  return withLines(code, [...found, ...swallowed(code, language), ...leftEarly(code, language)]);
}

function places(code: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of code.matchAll(pattern)) if (found.push(match) >= MAX_PLACES) break;
  return found;
}

function withLines(code: string, found: readonly At[]): Weakness[] {
  let line = 1;
  let from = 0;
  return found
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, ...rest }) => {
      for (let next = code.indexOf('\n', from); next >= 0 && next < at; next = code.indexOf('\n', from)) {
        line++;
        from = next + 1;
      }
      return { ...rest, line };
    });
}

const ASSERTS =
  /\b(?:assert|expect|should|fail)\w*|\.(?:equal|is|ok|throws|rejects)\w*\s*\(|[tb]\.(?:Error|Fatal)/;
const HANDLES = /\b(?:throw|raise|assert\w*|expect\w*|fail\w*|reject|done|Error|Fatal)\b/;

/** Assertions whose failure is caught and thrown away. */
function swallowed(code: string, language: Language): At[] {
  const found = places(code, SUPPRESSED).map((match) => match.index);
  if (language === 'javascript') {
    for (const match of places(code, /\btry\s{0,20}\{/g)) {
      const end = closing(code, match.index + match[0].length - 1);
      const handler = /^\s{0,20}catch\s{0,20}(?:\([^)\n]{0,200}\))?\s{0,20}\{/.exec(
        code.slice(end, end + 300),
      );
      if (!handler) continue;
      const open = end + handler[0].length - 1;
      if (ASSERTS.test(code.slice(match.index, end)) && !HANDLES.test(code.slice(open, closing(code, open))))
        found.push(match.index);
    }
    for (const match of places(
      code,
      /\b(?:assert|expect)\b[^\n]{0,200}\.catch\(\s{0,10}\(?\w{0,40}\)?\s{0,10}=>\s{0,10}\{\s{0,10}\}/g,
    ))
      found.push(match.index);
  }
  if (language === 'python')
    for (const match of places(code, /^([ \t]*)try[ \t]*:/gm)) {
      const indent = (match[1] ?? '').length;
      const end = endOfBlock(code, match.index, indent);
      const handler =
        /^[ \t]*except\b(?:[ \t]*\(?[^\n:]{0,200}?(?:Exception|BaseException|AssertionError)[^\n:]{0,200})?[ \t]*:/.exec(
          code.slice(end, end + 500),
        );
      if (!handler) continue;
      const handled = code.slice(end + handler[0].length, endOfBlock(code, end, indent));
      if (/\bassert/.test(code.slice(match.index, end)) && !HANDLES.test(handled)) found.push(match.index);
    }
  if (language === 'go')
    for (const match of places(code, /\brecover\(\)/g))
      if (!/\bt\.(?:Error|Fatal|Fail)/.test(code.slice(match.index, match.index + 300)))
        found.push(match.index);
  return found.map((at) => ({
    rule: 'assertion_swallowed',
    message: 'assertions whose failure is caught and thrown away',
    at,
  }));
}

/** Cases that return before anything is asserted. */
function leftEarly(code: string, language: Language): At[] {
  const pattern =
    language === 'python'
      ? /^([ \t]*)(?:async[ \t]+)?def[ \t]+test\w{0,200}\([^\n]{0,300}:[ \t]{0,40}\n\s{1,400}return\b[ \t]{0,40}(?:None)?[ \t]{0,40}\n/gm
      : language === 'go'
        ? /^func[ \t]{1,40}Test\w{0,200}\([^\n]{0,300}\{\s{0,400}return\b/gm
        : language === 'javascript'
          ? /(?<![.\w$])(?:it|test)[ \t]{0,40}\([^\n]{0,300}(?:=>|\))[ \t]{0,40}\{\s{0,400}return[ \t]{0,40};/g
          : null;
  return pattern === null
    ? []
    : places(code, pattern).map((match) => ({
        rule: 'test_leaves_early',
        message: 'a test that returns before it asserts anything',
        at: match.index,
      }));
}
