import * as z from 'zod';

/** What became of one test case in one run. */
export const TestResult = z.strictObject({
  /** With the suites that it is in, as the runner names them. */
  name: z.string(),
  /** Path below the checkout; null where the runner does not say it. */
  file: z.string().nullable(),
  outcome: z.enum(['passed', 'failed', 'skipped']),
  duration_ms: z.number().nonnegative().nullable(),
});
export type TestResult = z.infer<typeof TestResult>;

/** Longest name in characters. */
const MAX_NAME = 1_000;

/** What a test case stays the same by in another run. Two cases of one file may share it. */
export const computeTestId = ({ file, name }: Pick<TestResult, 'file' | 'name'>): string =>
  JSON.stringify([file, name]);

/** A test case as a report names it, within our limits. */
export const createTestResult = (
  name: string,
  file: string | null,
  outcome: TestResult['outcome'],
  durationMs: number | null = null,
): TestResult => ({
  name: name.trim().slice(0, MAX_NAME),
  file,
  outcome,
  duration_ms:
    durationMs !== null && Number.isFinite(durationMs) && durationMs >= 0
      ? Math.round(durationMs * 1_000) / 1_000
      : null,
});

/** Most words of a name whose ends are looked at. */
const MAX_WORDS = 50;

/**
 * The names under which a case may be written, by the name that a runner gives it: the whole, the parts between its separators, and,
 * because some runners put nothing but a space between suite and case, every end of it.
 */
export function listTestSourceNames(reported: string): ReadonlySet<string> {
  const plain = reported.replace(/\[[^\]]{0,500}\]$/, '');
  const words = reported.split(' ').slice(-MAX_WORDS);
  return new Set(
    [
      reported,
      ...plain.split(/ > | › |::|[/.]/).map((part) => part.trim()),
      ...words.map((_, at) => words.slice(at).join(' ')),
    ].filter((name) => name !== ''),
  );
}

/** Whether a runner's name of a case may be that of a case as it is written. */
export const isPossibleTestSourceName = (reported: string, written: string): boolean =>
  listTestSourceNames(reported).has(written);

export const indexTestResultsById = (cases: readonly TestResult[] | null): ReadonlyMap<string, TestResult> =>
  new Map((cases ?? []).map((test) => [computeTestId(test), test]));

/** Ids of the tests with this outcome. */
export const selectTestIdsByOutcome = (
  results: ReadonlyMap<string, TestResult> | null,
  outcome: TestResult['outcome'],
): ReadonlySet<string> =>
  new Set([...(results ?? [])].flatMap(([id, test]) => (test.outcome === outcome ? [id] : [])));

/** Ids of the tests of a run with this outcome. */
export const collectTestIdsByOutcome = (
  cases: readonly TestResult[] | null,
  outcome: TestResult['outcome'],
): ReadonlySet<string> =>
  new Set((cases ?? []).flatMap((test) => (test.outcome === outcome ? [computeTestId(test)] : [])));
