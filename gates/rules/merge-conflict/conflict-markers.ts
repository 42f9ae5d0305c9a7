import type { GitStore } from '../../../workspace/git/git-store.ts';
import { mergeTrees, type TreeMergeConflict } from '../../../workspace/git/merge-trees.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import type { UpstreamBranch } from '../../../workspace/git/upstream-branch.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView } from '../framework/rule.ts';
import { createDetector } from '../scan/detection-pattern.ts';
import { classifyFile } from '../scan/file-classification.ts';
import { scanPatch } from '../scan/patch-scan.ts';
import { ContentScanner } from '../scan/scanner.ts';
import { getAllSecretsScanner } from '../scan-runs/all-secrets-scanner.ts';

/** What git writes around the two sides of a conflict. A row of `=` is left out: it is also how headings are underlined. */
const MARKERS = createDetector({
  rule: 'conflict_marker',
  title: 'conflict marker',
  severity: 'high',
  anchors: ['<<<<<<<', '>>>>>>>', '|||||||'],
  before: 2,
  after: 130,
  pattern:
    /(?<![^\n])(?<value>(?:<{7}|>{7})(?: [^\n\r]{0,100})?|\|{7} (?:[0-9a-f]{7,64}|merged common ancestors|parent of|base|empty tree)[^\n\r]{0,60})(?=\r?\n|$)/,
  rank: 0,
  inBinary: false,
});

/** Largest text, in bytes, in which we look for the examples that a manual quotes. */
const MAX_PROSE_BYTES = 4 * 1_048_576;

/** Conflict markers in the files of a patch, those that a manual quotes left out. */
export async function findConflictMarkers(
  { store, changes }: Pick<PatchView, 'store' | 'changes'>,
  deadline: number,
): Promise<readonly GateFinding[]> {
  const scan = await scanPatch({
    store,
    changes,
    scanner: new ContentScanner([MARKERS]),
    redactor: { scan: (bytes, file) => getAllSecretsScanner().scan(bytes, file) },
    deadline,
  });
  const found = scan.matches.filter(({ line }) => line !== null);
  const prose = changes.filter(
    ({ path, headEntry }) =>
      headEntry && classifyFile(path).kind === 'prose' && found.some((each) => each.path === path),
  );
  const texts = await readBlobs(
    store,
    prose.flatMap(({ headEntry }) => (headEntry ? [headEntry.id] : [])),
    MAX_PROSE_BYTES,
  ).catch(() => new Map<string, Buffer>());
  const quoted = new Map(
    prose.map(({ path, headEntry }) => [
      path,
      findFencedLines(texts.get(headEntry?.id ?? '')?.toString('utf8') ?? ''),
    ]),
  );
  return found
    .filter(({ path, line }) => line === null || !quoted.get(path)?.has(line))
    .map(({ path, line, rule, isPreexisting }) => ({
      file: path,
      line,
      rule,
      message: isPreexisting ? 'a conflict marker' : 'a conflict marker was left in',
      severity: isPreexisting ? 'existing' : 'error',
    }));
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Numbers of the lines in fenced blocks of a text. A fence that is never closed quotes nothing. */
export function findFencedLines(text: string): ReadonlySet<number> {
  const quoted = new Set<number>();
  let open: { readonly mark: string; readonly line: number } | null = null;
  for (const [index, content] of text.split('\n').entries()) {
    const mark = FENCE.exec(content)?.[1];
    if (mark === undefined) continue;
    if (open === null) open = { mark, line: index + 1 };
    else if (mark.startsWith(open.mark)) {
      for (let line = open.line + 1; line <= index; line++) quoted.add(line);
      open = null;
    }
  }
  return quoted;
}

/** Where a tree does not go together with the newest commit of a branch; null: this git cannot tell. */
export const findMergeConflicts = async (
  store: GitStore,
  tree: string,
  upstream: UpstreamBranch,
): Promise<readonly TreeMergeConflict[] | null> =>
  (await mergeTrees(store, tree, upstream))?.conflicts ?? null;
