const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const FOLDERS = /(^|\/)(tests?|__tests__|specs?|e2e|__snapshots__|testdata)\//;
const NAMES =
  /^(test_.*\.py|.*_test\.(py|go|exs?|dart|cc|cpp)|.*[._-](test|spec)\.[cm]?[jt]sx?|(tests?|spec)\.([cm]?[jt]sx?|py|rs)|.*_(spec|test)\.rb|.*Tests?\.(java|kt|cs))$/s;

/** Tests, and what lies beside them, by place or name in the conventions of the common runners. */
export const isTestPath = (path: string): boolean => FOLDERS.test(path) || NAMES.test(nameOf(path));
