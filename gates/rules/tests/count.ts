import { isElsewhere } from './elsewhere.ts';
import { codeOnly } from './strip.ts';

/** What a test file protects with, counted. */
export interface Counts {
  /** Test cases. */
  readonly cases: number;
  readonly assertions: number;
  /** Assertions that name the value they expect, rather than that there is one. */
  readonly exact: number;
  /** Cases that are left out, or whose failure does not count. */
  readonly skips: number;
  /** Cases that make the runner leave out all others. */
  readonly only: number;
  /** Ways to end the process in mid-run. */
  readonly exits: number;
}

type Patterns = Readonly<Record<keyof Counts, RegExp | null>>;

const JAVASCRIPT: Patterns = {
  cases:
    /(?<![.\w$])(?:it|test|specify)(?:\.(?:each|concurrent|sequential|for|prop))*\s*[(`]|\bt\.test\s*\(/g,
  assertions:
    /(?<![\w$.])(?:expect\w*|assert\w*|(?:strict|notStrict|deep|notDeep|deepStrict)?[eE]qual|throws|rejects|match)(?:\.\w+)*\s*\(|\bt\.(?:is|not|like|deepEqual|throws\w*|true|false|truthy|falsy|regex|assert\.\w+)\s*\(|\.should\b/g,
  exact:
    /\.(?:toBe|toEqual|toStrictEqual|toMatchObject|toHaveLength|toHaveBeenCalled(?:With|Times)|toMatch|toContain\w*|toHaveProperty|toThrow\w*)\s*\(|\b(?:strictEqual|deepEqual|deepStrictEqual|equal|throws|rejects|match)\s*\(|\bt\.is\s*\(/g,
  skips:
    /(?<![\w$])(?:x(?:it|test|describe|specify)\s*[.(]|(?:it|test|describe|suite|specify|context|bench)(?:\.(?:concurrent|sequential|serial|each))*\.(?:skip|todo|skipIf|runIf|fails|failing|fixme)\b|(?:t|this|ctx)\.(?:skip|todo)\s*\()|\b(?:skip|todo)\s*:(?!\s*false\b)/g,
  only: /(?<![\w$])(?:f(?:it|describe)\s*\(|(?:it|test|describe|suite|specify|context)(?:\.(?:concurrent|sequential|serial))*\.only\b)|\bonly\s*:\s*true\b/g,
  exits: /\bprocess\.(?:exit|reallyExit|abort|kill)\b/g,
};

const PYTHON: Patterns = {
  cases: /^[ \t]*(?:async[ \t]+)?def[ \t]+test\w*/gm,
  assertions: /(?<![\w.])assert\b|\bself\.assert\w+\s*\(|\bpytest\.(?:raises|warns)\b|\.assert_\w+\s*\(/g,
  exact:
    /(?<![\w.])assert\b[^\n]{0,300}?(?:==|!=|<|>|\bis\b|\bin\b)|\bself\.assert(?:Equal|NotEqual|Is|In|Raises|Greater|Less|Regex|AlmostEqual|CountEqual|DictEqual|ListEqual)\w*\s*\(|\bpytest\.raises\b/g,
  skips:
    /@(?:\w+\.)*(?:skip\w*|xfail|expectedFailure)\b|\bmarks\s*=\s*\[?\s*(?:\w+\.)*(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\.skipTest\s*\(|^pytestmark\b[^=\n]{0,80}=\s{0,20}(?:\[[^\]]{0,400}?|[^\n]{0,200}?)\b(?:skip\w*|xfail)\b|\braise\s+(?:\w+\.)*(?:SkipTest|Skipped|skip\.Exception)\b|^[ \t]*__unittest_skip__\b|^[ \t]*collect_ignore\w*\s*=/gm,
  only: null,
  exits: /\b(?:sys\.exit|os\._exit|os\.kill|os\.abort|pytest\.exit|exit|quit)\s*\(/g,
};

const GO: Patterns = {
  cases: /^func\s+(?:Test|Fuzz|Example)\w*\s*\(|\bt\.Run\s*\(/gm,
  assertions:
    /\b[tbf]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require|is|cmp)\.\w+\s*\(/g,
  exact: /\b(?:assert|require)\.(?:Equal|EqualValues|ElementsMatch|Len|ErrorIs|Contains|JSONEq)\w*\s*\(/g,
  skips: /\b[tbf]\.Skip\w*\s*\(/g,
  only: null,
  exits: /\bos\.Exit\s*\(/g,
};

/** Comments that keep a file of Go from being built. */
const BUILD_CONSTRAINT = /^\/\/(?:go:build| ?\+build)\b/gm;

const RUST: Patterns = {
  cases: /#\[\s*(?:\w+::)*(?:test|rstest|test_case)\b/g,
  assertions: /\b(?:debug_)?assert(?:_\w+)?!\s*[([{]|\bpanic!\s*\(/g,
  exact: /\bassert_(?:eq|ne|matches)!\s*[([{]/g,
  skips: /#\[\s*ignore\b|#\[\s*cfg\b/g,
  only: null,
  exits: /\bprocess::(?:exit|abort)\b/g,
};

const OTHER: Patterns = {
  cases: /@Test\b|(?<![.\w])(?:it|test|specify)\s*[( ]["'(]?/g,
  assertions: /\b(?:assert|expect)\w*\b/gi,
  exact: /\bassert(?:Equals|Same|That)\w*\b/g,
  skips: /@(?:Disabled|Ignore)\b|\b(?:xit|skip|pending)\b/g,
  only: null,
  exits: /\b(?:System\.exit|exit)\s*\(/g,
};

const LANGUAGES: readonly (readonly [RegExp, Patterns])[] = [
  [/\.[cm]?[jt]sx?$/, JAVASCRIPT],
  [/\.pyi?$/, PYTHON],
  [/\.go$/, GO],
  [/\.rs$/, RUST],
  [/\.(rb|java|kt|cs|php|exs?|swift|dart|scala|cc|cpp)$/, OTHER],
];

/** Whether a file is code that we can count in; fixtures, snapshots and data are not. */
export const isCountable = (path: string): boolean => LANGUAGES.some(([names]) => names.test(path));

/** Counts what a test file protects with. Comments and strings do not count. */
export function count(path: string, text: string): Counts {
  const patterns = LANGUAGES.find(([names]) => names.test(path))?.[1] ?? OTHER;
  const code = codeOnly(path, text);
  const of = (key: keyof Counts): number => {
    const pattern = patterns[key];
    return pattern ? (code.match(pattern)?.length ?? 0) : 0;
  };
  return {
    cases: of('cases'),
    assertions: of('assertions'),
    exact: of('exact'),
    skips:
      skips(path, text, code, patterns.skips) +
      (path.endsWith('.go') ? (text.match(BUILD_CONSTRAINT)?.length ?? 0) : 0),
    only: of('only'),
    exits: of('exits'),
  };
}

/** What is left out on other systems only is run here. */
const skips = (path: string, text: string, code: string, pattern: RegExp | null): number =>
  pattern === null
    ? 0
    : [...code.matchAll(pattern)].filter(({ index }) => !isElsewhere(path, text, index)).length;

const FEWER = [
  ['cases', 'test cases'],
  ['assertions', 'assertions'],
  ['exact', 'exact assertions'],
] as const;
const MORE = [
  ['skips', 'skipped'],
  ['only', 'focused'],
  ['exits', 'exits of the process'],
] as const;

/** In what way `after` protects less than `before`, in words; null when it does not. */
export function weakening(before: Counts, after: Counts): string | null {
  const lost = [
    ...FEWER.filter(([key]) => after[key] < before[key]).map(
      ([key, what]) => `${after[key]} ${what} instead of ${before[key]}`,
    ),
    ...MORE.filter(([key]) => after[key] > before[key]).map(
      ([key, what]) => `${after[key]} ${what} instead of ${before[key]}`,
    ),
  ];
  return lost.length > 0 ? lost.join(', ') : null;
}
