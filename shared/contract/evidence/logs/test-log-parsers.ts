import type { LOGGED_TEST_TOOLS, LoggedTestRun } from './logged-test-run.ts';

type Tool = (typeof LOGGED_TEST_TOOLS)[number];
type Counts = Pick<LoggedTestRun, 'passed' | 'failed' | 'skipped'>;

/** How one runner ends what it prints, and how it names what failed before. */
export interface TestLogParser {
  readonly tool: Tool;
  /** Reads a line that says how a run ended; null: it is none. */
  readonly parseSummary: (line: string, before: readonly string[]) => Counts | null;
  /** The name of a failed test in a line; null: there is none. */
  readonly parseFailedTest: (line: string) => string | null;
}

const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
const first = (pattern: RegExp, line: string): string | null => pattern.exec(line)?.[1]?.trim() || null;
/** `2 failed` in a list of such. */
const sumCounts = (line: string, ...words: readonly string[]): number =>
  words.reduce((sum, word) => sum + Number(new RegExp(`\\b(\\d{1,9}) ${word}\\b`).exec(line)?.[1] ?? 0), 0);
/** The last of the lines before that a pattern fits, within some. */
const findEarlierLine = (before: readonly string[], pattern: RegExp): string | undefined =>
  before
    .slice(-12)
    .map((line) => pattern.exec(line)?.[1])
    .findLast((found) => found !== undefined);

const pytest: TestLogParser = {
  tool: 'pytest',
  parseSummary: (line) =>
    /^(?:=+ )?\d{1,9} (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?)\b.* in [\d.]{1,12}s\b/.test(
      line,
    )
      ? {
          passed: sumCounts(line, 'passed', 'xpassed'),
          failed: sumCounts(line, 'failed', 'errors?'),
          skipped: sumCounts(line, 'skipped', 'xfailed'),
        }
      : null,
  parseFailedTest: (line) => first(/^(?:FAILED|ERROR) (\S{1,500})/, line),
};

const unittest: TestLogParser = {
  tool: 'unittest',
  parseSummary: (line, before) => {
    const ended = /^(OK|FAILED)(?: \(([^)]{1,200})\))?$/.exec(line);
    const all = findEarlierLine(before, /^Ran (\d{1,9}) tests? in [\d.]{1,12}s$/);
    if (!ended || all === undefined) return null;
    const of = (name: string): number =>
      Number(new RegExp(`\\b${name}=(\\d{1,9})`).exec(ended[2] ?? '')?.[1] ?? 0);
    const failed = of('failures') + of('errors') + of('unexpected successes');
    const skipped = of('skipped') + of('expected failures');
    return { passed: Math.max(0, Number(all) - failed - skipped), failed, skipped };
  },
  parseFailedTest: (line) => first(/^(?:FAIL|ERROR): (.{1,500})$/, line),
};

const vitest: TestLogParser = {
  tool: 'vitest',
  parseSummary: (line) =>
    /^ {2,8}Tests {1,4}\d{1,9} (?:passed|failed|skipped|todo)\b.*\(\d{1,9}\)$/.test(line)
      ? {
          passed: sumCounts(line, 'passed'),
          failed: sumCounts(line, 'failed'),
          skipped: sumCounts(line, 'skipped', 'todo'),
        }
      : null,
  parseFailedTest: (line) => first(/^ ?FAIL {1,4}(?:\|[^|]{1,50}\| )?(\S{1,300} > .{1,500})$/, line),
};

const jest: TestLogParser = {
  tool: 'jest',
  parseSummary: (line) =>
    /^Tests: {1,8}\d{1,9} .*\b\d{1,9} total$/.test(line)
      ? {
          passed: sumCounts(line, 'passed'),
          failed: sumCounts(line, 'failed'),
          skipped: sumCounts(line, 'skipped', 'todo'),
        }
      : null,
  parseFailedTest: (line) => first(/^ {2}● (.{1,500})$/, line),
};

/** Its summary is in lines of their own, of which the one with the skipped comes last. */
const nodeTest: TestLogParser = {
  tool: 'node --test',
  parseSummary: (line, before) => {
    const skipped = /^(?:#|ℹ) skipped (\d{1,9})$/.exec(line)?.[1];
    const passed = findEarlierLine(before, /^(?:#|ℹ) pass (\d{1,9})$/);
    if (skipped === undefined || passed === undefined) return null;
    const failed = findEarlierLine(before, /^(?:#|ℹ) fail (\d{1,9})$/);
    const cancelled = findEarlierLine(before, /^(?:#|ℹ) cancelled (\d{1,9})$/);
    return {
      passed: Number(passed),
      failed: failed === undefined ? null : Number(failed) + Number(cancelled ?? 0),
      skipped: Number(skipped),
    };
  },
  parseFailedTest: (line) =>
    first(/^ {0,40}not ok \d{1,9} - (.{1,500}?)(?: # .{0,200})?$/, line) ??
    first(/^ {0,40}✖ (.{1,500}?) \([\d.]{1,15}ms\)$/, line),
};

/** Passing and pending come before failing, which is not printed where there is none. */
const mocha: TestLogParser = {
  tool: 'mocha',
  parseSummary: (line) => {
    const passed = /^ {2}(\d{1,9}) passing \([\d.]{1,12}(?:ms|s|m)\)$/.exec(line)?.[1];
    return passed === undefined ? null : { passed: Number(passed), failed: 0, skipped: 0 };
  },
  parseFailedTest: () => null,
};

const goTest: TestLogParser = {
  tool: 'go test',
  // It says how a package ended; how many tests that are, only -v says.
  parseSummary: (line) => {
    const failed = /^FAIL\t\S{1,300}\t[\d.]{1,12}s$/.test(line);
    return failed || /^ok {2}\t\S{1,300}\t(?:[\d.]{1,12}s|\(cached\))/.test(line)
      ? { passed: null, failed: null, skipped: null }
      : null;
  },
  parseFailedTest: (line) => first(/^ {0,40}--- FAIL: (\S{1,300}) \([\d.]{1,12}s\)$/, line),
};

const cargoTest: TestLogParser = {
  tool: 'cargo test',
  parseSummary: (line) => {
    const found = /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/.exec(
      line,
    );
    return found ? { passed: number(found[1]), failed: number(found[2]), skipped: number(found[3]) } : null;
  },
  parseFailedTest: (line) => first(/^test (.{1,300}) \.\.\. FAILED$/, line),
};

const attribute = (tag: string, name: string): number | null => {
  const found = new RegExp(`\\b${name}="(\\d{1,9})"`).exec(tag)?.[1];
  return found === undefined ? null : Number(found);
};
const junit: TestLogParser = {
  tool: 'junit',
  parseSummary: (line) => {
    const tag = /<testsuite\b[^>]{1,2000}>/.exec(line)?.[0];
    const all = tag === undefined ? null : attribute(tag, 'tests');
    if (tag === undefined || all === null) return null;
    const failed = (attribute(tag, 'failures') ?? 0) + (attribute(tag, 'errors') ?? 0);
    const skipped = attribute(tag, 'skipped') ?? 0;
    return { passed: Math.max(0, all - failed - skipped), failed, skipped };
  },
  parseFailedTest: () => null,
};

export const TEST_LOG_PARSERS: readonly TestLogParser[] = [
  pytest,
  unittest,
  vitest,
  jest,
  nodeTest,
  mocha,
  goTest,
  cargoTest,
  junit,
];
