import type { CheckFinding, Evidence } from './schema.ts';

/** Files that are told apart, and the longest path of one: what is beyond is counted, not named. */
const MOST_FILES = 50;
const LONGEST_PATH = 300;

/** A file of the patch, with what was found in it. */
export interface ChangedFileSummary {
  readonly path: string;
  /** New findings of all gates, those of flaky tests apart. */
  readonly findingCount: number;
  /** Its tests that fail now and then. */
  readonly flakyTestCount: number;
}

/** Rules of the tests gate that say of a test that it fails now and then. */
const FLAKY_TEST_RULES = ['flaky_found', 'flaky_quarantined'];

/** The files of a patch, those with most findings first, and how many more there are than are named. */
export function summarizeChangedFiles({ changed_files: paths, gates }: Evidence): {
  readonly files: readonly ChangedFileSummary[];
  readonly more: number;
} {
  const findings = new Map<string | null, CheckFinding[]>(
    Map.groupBy(
      gates.flatMap((gate) => gate.findings),
      ({ file }) => file,
    ),
  );
  const named = [...new Set(paths)].filter((path) => path.length <= LONGEST_PATH);
  const all = named.map((path) => {
    const own = findings.get(path) ?? [];
    const flaky = own.filter(({ rule }) => FLAKY_TEST_RULES.includes(rule));
    const fresh = own.filter(({ rule, baseline }) => !rule.startsWith('flaky_') && baseline !== 'unchanged');
    return { path, findingCount: fresh.length, flakyTestCount: flaky.length };
  });
  const files = all
    .toSorted(
      (a, b) =>
        b.findingCount + b.flakyTestCount - a.findingCount - a.flakyTestCount || (a.path < b.path ? -1 : 1),
    )
    .slice(0, MOST_FILES);
  return { files, more: new Set(paths).size - files.length };
}
