import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import type { Instead } from '../mutants/instead/instead.ts';

/** What is put in the place of what functions come to, to see whether a test of the base and what became of it mind; what it is, in a sentence. */
export const COMPARED = {
  'other value': 'every value that the code answers is a little off',
  'other failure': 'the code fails in another way than it does',
} as const satisfies Partial<Record<Instead, string>>;
export type Compared = keyof typeof COMPARED;
export const ALL_COMPARED: readonly Compared[] = ['other value', 'other failure'];

/** Runs the tests of a tree whose functions come to something else. Null: nobody can say how, there is no more time, or no report. */
export type Asked = (tree: string, how: Instead) => Promise<ReadonlyMap<string, TestResult> | null>;

export const byId = (cases: readonly TestResult[] | null): ReadonlyMap<string, TestResult> =>
  new Map((cases ?? []).map((test) => [computeTestId(test), test]));

/** The ids of the tests that came to this. */
export const idsOf = (
  tests: ReadonlyMap<string, TestResult> | null,
  outcome: TestResult['outcome'],
): ReadonlySet<string> =>
  new Set([...(tests ?? [])].flatMap(([id, test]) => (test.outcome === outcome ? [id] : [])));
