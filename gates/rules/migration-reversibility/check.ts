import { blobSizes } from '../../../workspace/git/blob-stream.ts';
import { readBlobs } from '../../../workspace/git/blobs.ts';
import type { Change } from '../../../workspace/git/changes.ts';
import { readFileAt } from '../../../workspace/git/folder.ts';
import { isRegular } from '../../../workspace/git/list.ts';
import type { Store } from '../../../workspace/git/store.ts';
import type { Seen } from '../../core/seen.ts';
import type { PatchView } from '../framework/rule.ts';
import { isJavascriptMigration, javascriptProblems } from './javascript.ts';
import type { Problem } from './problem.ts';
import { isPythonMigration, pythonProblems } from './python.ts';
import { isRailsMigration, railsProblems } from './rails.ts';
import { downTwin, isTwoWaySql, twinProblems, twoWayProblems, upTwin } from './sql.ts';

/** Largest migration that is read, in bytes. */
const MAX_BYTES = 1_048_576;
/** How many are read at once. */
const BATCH = 32;

const CODE = /\.(?:py|sql|rb|[cm]?[jt]s)$/;
const FOLDER = /(?:^|\/)(?:migrations?|migrate|versions)\//i;

export interface MigrationCheck {
  /** Migrations that the patch adds or changes. */
  readonly migrations: number;
  readonly seen: readonly Seen[];
  /** In a folder of migrations, but too large to be read. */
  readonly tooLarge: readonly string[];
}

/** Judges the migrations that a patch adds or changes. What was wrong with one in the base already is marked. */
export async function checkMigrations(
  subject: Pick<PatchView, 'store' | 'base' | 'patched' | 'changes'>,
): Promise<MigrationCheck> {
  const { store, changes } = subject;
  const candidates = changes.filter(
    ({ path, from }) => CODE.test(path) || (from !== null && CODE.test(from)),
  );
  const sizes = await blobSizes(store, candidates.flatMap(idsOf));
  const isLarge = (change: Change): boolean => idsOf(change).some((id) => (sizes.get(id) ?? 0) > MAX_BYTES);
  const readable = candidates.filter((change) => !isLarge(change));
  const seen: Seen[] = [];
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
    migrations,
    seen: seen.filter(unique),
    tooLarge: candidates
      .filter((change) => isLarge(change) && FOLDER.test(change.path))
      .map(({ path }) => path),
  };
}

const idsOf = ({ base, head }: Change): string[] =>
  [base, head].flatMap((entry) => (entry && isRegular(entry) ? [entry.id] : []));

async function checkOne(
  { store, base, patched }: Pick<PatchView, 'store' | 'base' | 'patched'>,
  change: Change,
  textOf: (id: string) => string | null,
): Promise<Seen[] | null> {
  const text = (entry: Change['head']): string | null => (entry === null ? null : textOf(entry.id));
  const after = await judged(store, patched, change.path, text(change.head));
  if (after === null) return null;
  const old = change.base && (await judged(store, base, change.from ?? change.path, text(change.base)));
  return after.problems.map(({ line, rule, message }) => ({
    file: after.path,
    line,
    rule,
    message,
    weight: old?.problems.some((problem) => problem.rule === rule) ? 'before' : 'fails',
  }));
}

/** A pair of files is looked at from both of them. */
const unique = (finding: Seen, index: number, all: readonly Seen[]): boolean =>
  all.findIndex(
    (other) => other.file === finding.file && other.rule === finding.rule && other.line === finding.line,
  ) === index;

interface Judged {
  readonly path: string;
  readonly problems: readonly Problem[];
}

/** Null when it is no migration that says how it is taken back. @param text null when the file is gone. */
async function judged(store: Store, tree: string, path: string, text: string | null): Promise<Judged | null> {
  const other = async (twin: string): Promise<string | null> =>
    (await readFileAt(store, tree, twin, MAX_BYTES))?.content.toString('utf8') ?? null;
  const up = upTwin(path);
  if (up !== null) {
    const upText = await other(up);
    return upText === null ? null : { path: up, problems: twinProblems(upText, text, path) };
  }
  if (text === null) return null;
  const down = downTwin(path);
  if (down !== null) return { path, problems: twinProblems(text, await other(down), down) };
  if (isTwoWaySql(path, text)) return { path, problems: twoWayProblems(text) };
  if (isPythonMigration(path, text)) return { path, problems: pythonProblems(path, text) };
  if (isRailsMigration(path)) return { path, problems: railsProblems(text) };
  if (isJavascriptMigration(path, text)) return { path, problems: javascriptProblems(path, text) };
  return null;
}
