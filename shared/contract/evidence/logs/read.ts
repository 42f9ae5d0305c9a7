import { firstOf } from '../../../lib/cut.ts';
import { LOGGED_NAME, type LoggedRun, MOST_LOGGED } from './logged.ts';
import { RUNNERS, type Runner } from './runners.ts';

/** Characters at the end of a log that are looked at, and of one line. */
const LOOKED_AT = 1_000_000;
const MAX_LINE = 4_000;
/** Most runs of an attempt that are kept, the latest. */
export const MOST_RUNS = 5;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of terminals
const COLOURS = /\u001b\[[0-9;?]*[A-Za-z]/g;

const plus = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Texts of tools in a line of events: strings of more than one line, wherever they are. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.includes('\n') ? [value] : [];
  if (typeof value !== 'object' || value === null || depth > 12) return [];
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1));
}

/** The lines of a log; of a transcript of events, those of the texts in them. */
function linesOf(log: string): string[] {
  return log
    .slice(-LOOKED_AT)
    .split('\n')
    .flatMap((line) => {
      if (!line.startsWith('{')) return [line];
      try {
        return textsIn(JSON.parse(line)).flatMap((text) => text.split('\n'));
      } catch {
        return [line];
      }
    })
    .map((line) => line.slice(0, MAX_LINE).replace(COLOURS, '').trimEnd());
}

interface Open {
  runner: Runner;
  names: Set<string>;
}

/** Parts of one run that each have their own end, as packages and crates have, are one run. */
const isPart = (tool: string): boolean => tool === 'go test' || tool === 'cargo test' || tool === 'junit';

/**
 * What runners have printed into the log of an agent. Claims, all of it. The tests that failed count for the run whose end comes after
 * them, except where a runner names them after its end.
 */
export function loggedRuns(log: string): LoggedRun[] {
  const lines = linesOf(log);
  const runs: LoggedRun[] = [];
  const open = new Map<Runner, Open>(RUNNERS.map((runner) => [runner, { runner, names: new Set() }]));
  let last: Runner | null = null;
  let mocha: LoggedRun | null = null;
  lines.forEach((line, index) => {
    if (mocha) mocha = readMocha(line, mocha, runs);
    for (const state of open.values()) {
      const name = state.runner.fails(line);
      if (name !== null && state.names.size < MOST_LOGGED) state.names.add(firstOf(name, LOGGED_NAME));
      const ended = state.runner.ends(line, lines.slice(Math.max(0, index - 12), index));
      if (!ended) continue;
      const { tool } = state.runner;
      const before = runs.at(-1);
      const failing = [...state.names];
      state.names.clear();
      if (before && last === state.runner && isPart(tool)) {
        before.passed = plus(before.passed, ended.passed);
        before.failed = plus(before.failed, ended.failed);
        before.skipped = plus(before.skipped, ended.skipped);
        before.failing = [...new Set([...before.failing, ...failing])].slice(0, MOST_LOGGED);
      } else runs.push({ tool, kind: 'claimed', ...ended, failing });
      last = state.runner;
      mocha = tool === 'mocha' ? (runs.at(-1) ?? null) : null;
    }
  });
  return runs.slice(-MOST_RUNS);
}

/** The lines after mocha's first: pending, failing, and the failed ones by number. Null: that was all. */
function readMocha(line: string, run: LoggedRun, runs: readonly LoggedRun[]): LoggedRun | null {
  if (runs.at(-1) !== run) return null;
  const more = /^ {2}(\d{1,9}) (pending|failing)$/.exec(line);
  if (more?.[2] === 'pending') run.skipped = Number(more[1]);
  if (more?.[2] === 'failing') run.failed = Number(more[1]);
  const name = /^ {2}\d{1,9}\) (.{1,300}?):?$/.exec(line)?.[1];
  if (name !== undefined && run.failing.length < MOST_LOGGED) run.failing.push(firstOf(name, LOGGED_NAME));
  return run;
}
