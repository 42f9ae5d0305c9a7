import type { GitStore } from '../../../../workspace/git/git-store.ts';
import { readBlobs } from '../../../../workspace/git/read-blobs.ts';
import { findReachableModules, moduleOfPath } from '../../../code/import-graph.ts';
import type { RevisionCode } from '../../../code/project-code.ts';

/**
 * Words of code that may read what the environment perturbation changes: variables, clock and zone, language, host and user, the
 * terminal. Also what can read them without naming them: other programs, and code or names that are put together at run time.
 */
const READS_ENVIRONMENT = new RegExp(
  [
    // Variables of the environment.
    /\b(?:environ\w*|getenv|Getenv|LookupEnv|ExpandEnv|process|globalThis|env|dotenv|expandvars)\b/,
    // Clock, zone and dates.
    /\b(?:Date|Temporal|datetime|time|timezone|tz\w*|zoneinfo|pytz|dateutil|calendar|chrono|strftime|localtime|mktime)\b/,
    // Language.
    /\b(?:locale|setlocale|gettext|Intl|LC_\w+|LANG|toLocale\w*|localeCompare|getpreferredencoding)\b/,
    // Host, user and home.
    /\b(?:os|platform|socket|hostname|getpass|getuser|pwd|expanduser|homedir|home_dir|userInfo|Hostname|UserHomeDir|whoami)\b/,
    // The terminal.
    /\b(?:isatty|isTTY|IsTerminal|is_terminal|get_terminal_size|shutil|curses|TERM)\b/,
    // Other programs, and what nobody can read before it runs.
    /\b(?:subprocess|child_process|exec\w*|spawn\w*|popen|Command|syscall|ctypes|eval|Function|importlib|__import__|getattr|vars|globals|(?:require|import)\s*\(\s*[^'")\s])/,
    /\/(?:proc|etc)\//,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Whether a text may read its environment. */
export const mayReadEnvironment = (text: string): boolean => READS_ENVIRONMENT.test(text);

interface EnvironmentReadsOptions {
  readonly store: GitStore;
  readonly code: Pick<RevisionCode, 'files' | 'importGraph' | 'filesOfModule'>;
  /** Files of the patch. Where one of them may read its environment, no import has to lead to it. */
  readonly changed: readonly string[];
  readonly tests: readonly string[];
}

/**
 * Returns the tests that may read their environment: in their own files, or in code of the project that they import, directly or through
 * other modules, or in files of the patch.
 */
export async function selectTestsReadingEnvironment({
  store,
  code: {
    files: { code },
    importGraph,
    filesOfModule,
  },
  changed,
  tests,
}: EnvironmentReadsOptions): Promise<string[]> {
  const filesOf = (test: string): readonly { readonly path: string; readonly objectId: string }[] =>
    [
      ...findReachableModules([moduleOfPath(test)], (from) =>
        (importGraph.outgoingEdges.get(from) ?? []).map(({ to }) => to),
      ),
    ].flatMap(filesOfModule);
  const files = new Map(tests.map((test) => [test, filesOf(test)]));
  const ofPatch = changed.flatMap((path) => code.get(path)?.objectId ?? []);
  const ids = new Set([
    ...ofPatch,
    ...[...files.values()].flatMap((each) => each.map(({ objectId }) => objectId)),
  ]);
  const texts = await readBlobs(store, [...ids]);
  const reading = new Set([...ids].filter((id) => mayReadEnvironment(texts.get(id)?.toString('utf8') ?? '')));
  if (ofPatch.some((id) => reading.has(id))) return [...tests];
  return tests.filter((test) => {
    const own = files.get(test) ?? [];
    // What the import graph does not know cannot be ruled out.
    return own.length === 0 || own.some(({ objectId }) => reading.has(objectId));
  });
}
