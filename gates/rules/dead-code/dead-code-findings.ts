import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import type { CodeFile } from '../../code/code-files.ts';
import { indexIdentifiers } from '../../code/identifier-index.ts';
import { moduleOfPath } from '../../code/import-graph.ts';
import { type CodeIssue, compareCodeIssues } from '../../code/parsing/code-issue.ts';
import type { PatchCode } from '../../code/patch-code.ts';
import type { RevisionCode } from '../../code/project-code.ts';
import { parentFolderOf } from '../../code/resolve/import-resolver.ts';
import { SyntaxTreeReader } from '../../code/syntax-reader.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { languageOfGrammar } from '../../core/language.ts';
import { findDanglingReferences } from './dangling-references.ts';
import { findNamesUnusedInFile, findPrivateNames, type PrivateName } from './private-names.ts';
import { findUnreachableCode } from './unreachable-code.ts';
import { findUnusedImports, type ParsedCodeFile } from './unused-imports.ts';

/** A private name that nothing in its own file refers to. */
interface UncalledCandidate {
  readonly file: CodeFile;
  readonly name: PrivateName;
}

/** Those that nothing in another file refers to either. `known`: names that a changed file had before, and may have moved. */
async function findUncalledFunctions(
  store: GitStore,
  side: RevisionCode,
  candidates: readonly UncalledCandidate[],
  known: ReadonlySet<string>,
): Promise<GateFinding[]> {
  const fresh = candidates.filter(({ name }) => !known.has(name.name));
  const elsewhere = await mentionedElsewhere(store, side, fresh);
  return fresh
    .filter((candidate) => !elsewhere.has(candidate))
    .map(({ file, name }) => ({
      file: file.path,
      line: name.line,
      rule: 'no_callers',
      message: `${name.name} is new and private, and nothing refers to it`,
      severity: name.isPossibleOverride ? 'info' : 'error',
    }));
}

/** Those whose name stands in another file that could call them, in whatever way. */
async function mentionedElsewhere(
  store: GitStore,
  side: RevisionCode,
  candidates: readonly UncalledCandidate[],
): Promise<Set<UncalledCandidate>> {
  const found = new Set<UncalledCandidate>();
  const open = candidates.filter(({ name }) => name.visibility !== 'file');
  const wanted = new Set(open.map(({ name }) => name.name));
  if (wanted.size === 0) return found;
  const files = [...side.files.code.values()].filter((file) => open.some((each) => canReference(file, each)));
  for (let at = 0; at < files.length; at += 200) {
    const batch = files.slice(at, at + 200);
    const texts = await readBlobs(
      store,
      batch.filter(({ bytes }) => bytes < MAX_BYTES).map(({ objectId }) => objectId),
      200 * MAX_BYTES,
    );
    for (const file of batch) {
      const words = new Set(
        texts
          .get(file.objectId)
          ?.toString('utf8')
          .match(/[\p{L}_][\p{L}\p{N}_]*/gu),
      );
      for (const each of open) if (words.has(each.name.name) && canReference(file, each)) found.add(each);
    }
  }
  return found;
}

/** Larger files are not code that anybody wrote. */
const MAX_BYTES = 1_048_576;

const canReference = (file: CodeFile, { file: home, name }: UncalledCandidate): boolean =>
  file.path !== home.path &&
  languageOfGrammar(file.grammar) === languageOfGrammar(home.grammar) &&
  (name.visibility === 'tree' || parentFolderOf(file.path) === parentFolderOf(home.path));

/** What our own analysis says about the patch. */
export async function findDeadCodeFindings({
  project,
  changed,
  store,
  changes,
  deadlineCpuMs,
}: PatchCode): Promise<readonly GateFinding[]> {
  const reader = new SyntaxTreeReader(store, deadlineCpuMs);
  await reader.prefetch(
    changed.flatMap(({ before, after }) => [before, after].filter((file) => file !== null)),
  );
  const seen: GateFinding[] = [...(await findDanglingReferences(project, reader, changed, changes))];
  const known = new Set<string>();
  const candidates: UncalledCandidate[] = [];
  for (const { path, before, after } of changed) {
    const then = before && (await viewOf(before, project.base, reader));
    const now = after && (await viewOf(after, project.head, reader));
    for (const { name } of then ? findPrivateNames(then.root, then.language) : []) known.add(name);
    if (!now || !after) continue;
    for (const each of compareCodeIssues(path, then ? issuesOf(then) : [], issuesOf(now))) seen.push(each);
    if (isTestPath(path)) continue;
    candidates.push(
      ...findNamesUnusedInFile(now.root, now.language, now.names).map((name) => ({ file: after, name })),
    );
  }
  seen.push(...(await findUncalledFunctions(store, project.head, candidates, known)));
  return seen;
}

const issuesOf = (view: ParsedCodeFile): CodeIssue[] => [
  ...findUnusedImports(view),
  ...findUnreachableCode(view.root),
];

async function viewOf(
  file: CodeFile,
  side: RevisionCode,
  reader: SyntaxTreeReader,
): Promise<ParsedCodeFile | null> {
  const root = await reader.readSyntax(file);
  if (!root) return null;
  const language = languageOfGrammar(file.grammar);
  return {
    path: file.path,
    language,
    root,
    names: indexIdentifiers(root, language),
    imports: side.importsOfFile(file),
    importedByOthers: namesImportedByOthers(file.path, side),
  };
}

/** Names that other modules import from a file. */
const namesImportedByOthers = (path: string, { importGraph }: RevisionCode): Set<string> =>
  new Set(
    (importGraph.incomingEdges.get(moduleOfPath(path)) ?? []).flatMap(({ names }) =>
      names.map(({ name }) => name),
    ),
  );
