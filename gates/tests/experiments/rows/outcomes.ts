import { computeTestId, type TestResult } from '../../../core/test-result.ts';

export const resultsById = (cases: readonly TestResult[] | null): ReadonlyMap<string, TestResult> =>
  new Map((cases ?? []).map((test) => [computeTestId(test), test]));

/** Ids of the tests with this outcome. */
export const idsWithOutcome = (
  results: ReadonlyMap<string, TestResult> | null,
  outcome: TestResult['outcome'],
): ReadonlySet<string> =>
  new Set([...(results ?? [])].flatMap(([id, test]) => (test.outcome === outcome ? [id] : [])));

/** Ids of the tests of a run with this outcome. */
export const idsIn = (
  cases: readonly TestResult[] | null,
  outcome: TestResult['outcome'],
): ReadonlySet<string> =>
  new Set((cases ?? []).flatMap((test) => (test.outcome === outcome ? [computeTestId(test)] : [])));
