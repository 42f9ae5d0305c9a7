import type { FileChange } from '../../../workspace/git/file-changes.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile } from '../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { readBlobSizes } from '../../../workspace/git/stream-blobs.ts';
import { readFileOfTree } from '../../../workspace/git/tree-folder.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView } from '../framework/rule.ts';
import { findJavascriptMigrationProblems, isJavascriptMigration } from './javascript-migrations.ts';
import type { MigrationProblem } from './migration-problem.ts';
import { findPythonMigrationProblems, isPythonMigration } from './python-migrations.ts';
import { findRailsMigrationProblems, isRailsMigration } from './rails-migrations.ts';
import {
  findBidirectionalSqlProblems,
  findDownMigrationPath,
  findPairedSqlProblems,
  findUpMigrationPath,
  isBidirectionalSqlMigration,
} from './sql-migrations.ts';

/** Largest migration that is read, in bytes. */
const MAX_BYTES = 1_048_576;
/** How many are read at once. */
const BATCH = 32;

const CODE = /\.(?:py|sql|rb|[cm]?[jt]s)$/;
const FOLDER = /(?:^|\/)(?:migrations?|migrate|versions)\//i;

export interface MigrationCheckResult {
  /** Migrations that the patch adds or changes. */
  readonly migrationCount: number;
  readonly findings: readonly GateFinding[];
  /** In a folder of migrations, but too large to be read. */
  readonly tooLarge: readonly string[];
}

/** Judges the migrations that a patch adds or changes. What was wrong with one in the base already is marked. */
export async function checkMigrations(
  subject: Pick<PatchView, 'store' | 'base' | 'patched' | 'changes'>,
): Promise<MigrationCheckResult> {
  const { store, changes } = subject;
  const candidates = changes.filter(
    ({ path, previousPath }) => CODE.test(path) || (previousPath !== null && CODE.test(previousPath)),
  );
  const sizes = await readBlobSizes(store, candidates.flatMap(idsOf));
  const isLarge = (change: FileChange): boolean =>
    idsOf(change).some((id) => (sizes.get(id) ?? 0) > MAX_BYTES);
  const readable = candidates.filter((change) => !isLarge(change));
  const seen: GateFinding[] = [];
  let migrations = 0;
  for (let at = 0; at < readable.length; at += BATCH) {
    const batch = readable.slice(at, at + BATCH);
    const texts = await readBlobs(store, batch.flatMap(idsOf), 4 * BATCH * MAX_BYTES);
    for (const change of batch) {
      const found = await checkOne(subject, change, (id) => texts.get(id)?.toString('utf8') ?? null);
      if (found === null) continue;
      migrations++;
      seen.push(...found);
    }
  }
  return {
    migrationCount: migrations,
    findings: seen.filter(unique),
    tooLarge: candidates
      .filter((change) => isLarge(change) && FOLDER.test(change.path))
      .map(({ path }) => path),
  };
}

const idsOf = ({ baseEntry, headEntry }: FileChange): string[] =>
  [baseEntry, headEntry].flatMap((entry) => (entry && isRegularFile(entry) ? [entry.id] : []));

async function checkOne(
  { store, base, patched }: Pick<PatchView, 'store' | 'base' | 'patched'>,
  change: FileChange,
  textOf: (id: string) => string | null,
): Promise<GateFinding[] | null> {
  const text = (entry: FileChange['headEntry']): string | null => (entry === null ? null : textOf(entry.id));
  const after = await checkMigrationFile(store, patched, change.path, text(change.headEntry));
  if (after === null) return null;
  const old =
    change.baseEntry &&
    (await checkMigrationFile(store, base, change.previousPath ?? change.path, text(change.baseEntry)));
  return after.problems.map(({ line, rule, message }) => ({
    file: after.path,
    line,
    rule,
    message,
    severity: old?.problems.some((problem) => problem.rule === rule) ? 'existing' : 'error',
  }));
}

/** A pair of files is looked at from both of them. */
const unique = (finding: GateFinding, index: number, all: readonly GateFinding[]): boolean =>
  all.findIndex(
    (other) => other.file === finding.file && other.rule === finding.rule && other.line === finding.line,
  ) === index;

interface CheckedMigration {
  readonly path: string;
  readonly problems: readonly MigrationProblem[];
}

/** Null when it is no migration that says how it is taken back. @param text null when the file is gone. */
async function checkMigrationFile(
  store: GitStore,
  tree: string,
  path: string,
  text: string | null,
): Promise<CheckedMigration | null> {
  const other = async (twin: string): Promise<string | null> =>
    (await readFileOfTree(store, tree, twin, MAX_BYTES))?.content.toString('utf8') ?? null;
  const up = findUpMigrationPath(path);
  if (up !== null) {
    const upText = await other(up);
    return upText === null ? null : { path: up, problems: findPairedSqlProblems(upText, text, path) };
  }
  if (text === null) return null;
  const down = findDownMigrationPath(path);
  if (down !== null) return { path, problems: findPairedSqlProblems(text, await other(down), down) };
  if (isBidirectionalSqlMigration(path, text)) return { path, problems: findBidirectionalSqlProblems(text) };
  if (isPythonMigration(path, text)) return { path, problems: findPythonMigrationProblems(path, text) };
  if (isRailsMigration(path)) return { path, problems: findRailsMigrationProblems(text) };
  if (isJavascriptMigration(path, text))
    return { path, problems: findJavascriptMigrationProblems(path, text) };
  return null;
}
