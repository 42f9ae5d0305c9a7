import { truncateText } from '../../../lib/truncate.ts';
import { type LoggedTestRun, MAX_LOGGED_FAILURES, MAX_LOGGED_NAME_LENGTH } from './logged-test-run.ts';
import { TEST_LOG_PARSERS, type TestLogParser } from './test-log-parsers.ts';

/** Characters at the end of a log that are looked at, and of one line. */
const LOOKED_AT = 1_000_000;
const MAX_LINE = 4_000;
/** Most runs of an attempt that are kept, the latest. */
export const MAX_LOGGED_RUNS = 5;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of terminals
const COLOURS = /\u001b\[[0-9;?]*[A-Za-z]/g;

const addCounts = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Texts of tools in a line of events: strings of more than one line, wherever they are. */
function collectTexts(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.includes('\n') ? [value] : [];
  if (typeof value !== 'object' || value === null || depth > 12) return [];
  return Object.values(value).flatMap((each) => collectTexts(each, depth + 1));
}

/** The lines of a log; of a transcript of events, those of the texts in them. */
function linesOf(log: string): string[] {
  return log
    .slice(-LOOKED_AT)
    .split('\n')
    .flatMap((line) => {
      if (!line.startsWith('{')) return [line];
      try {
        return collectTexts(JSON.parse(line)).flatMap((text) => text.split('\n'));
      } catch {
        return [line];
      }
    })
    .map((line) => line.slice(0, MAX_LINE).replace(COLOURS, '').trimEnd());
}

interface OpenRun {
  runner: TestLogParser;
  names: Set<string>;
}

/** Parts of one run that each have their own end, as packages and crates have, are one run. */
const hasPartialRuns = (tool: string): boolean =>
  tool === 'go test' || tool === 'cargo test' || tool === 'junit';

/**
 * What runners have printed into the log of an agent. Claims, all of it. The tests that failed count for the run whose end comes after
 * them, except where a runner names them after its end.
 */
export function parseTestLog(log: string): LoggedTestRun[] {
  const lines = linesOf(log);
  const runs: LoggedTestRun[] = [];
  const open = new Map<TestLogParser, OpenRun>(
    TEST_LOG_PARSERS.map((runner) => [runner, { runner, names: new Set() }]),
  );
  let last: TestLogParser | null = null;
  let mocha: LoggedTestRun | null = null;
  lines.forEach((line, index) => {
    if (mocha) mocha = readMocha(line, mocha, runs);
    for (const state of open.values()) {
      const name = state.runner.parseFailedTest(line);
      if (name !== null && state.names.size < MAX_LOGGED_FAILURES)
        state.names.add(truncateText(name, MAX_LOGGED_NAME_LENGTH));
      const ended = state.runner.parseSummary(line, lines.slice(Math.max(0, index - 12), index));
      if (!ended) continue;
      const { tool } = state.runner;
      const before = runs.at(-1);
      const failing = [...state.names];
      state.names.clear();
      if (before && last === state.runner && hasPartialRuns(tool)) {
        before.passed = addCounts(before.passed, ended.passed);
        before.failed = addCounts(before.failed, ended.failed);
        before.skipped = addCounts(before.skipped, ended.skipped);
        before.failed_tests = [...new Set([...before.failed_tests, ...failing])].slice(
          0,
          MAX_LOGGED_FAILURES,
        );
      } else runs.push({ tool, kind: 'claimed', ...ended, failed_tests: failing });
      last = state.runner;
      mocha = tool === 'mocha' ? (runs.at(-1) ?? null) : null;
    }
  });
  return runs.slice(-MAX_LOGGED_RUNS);
}

/** The lines after mocha's first: pending, failing, and the failed ones by number. Null: that was all. */
function readMocha(line: string, run: LoggedTestRun, runs: readonly LoggedTestRun[]): LoggedTestRun | null {
  if (runs.at(-1) !== run) return null;
  const more = /^ {2}(\d{1,9}) (pending|failing)$/.exec(line);
  if (more?.[2] === 'pending') run.skipped = Number(more[1]);
  if (more?.[2] === 'failing') run.failed = Number(more[1]);
  const name = /^ {2}\d{1,9}\) (.{1,300}?):?$/.exec(line)?.[1];
  if (name !== undefined && run.failed_tests.length < MAX_LOGGED_FAILURES)
    run.failed_tests.push(truncateText(name, MAX_LOGGED_NAME_LENGTH));
  return run;
}
