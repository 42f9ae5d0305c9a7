import type { CodeFile } from '../../code/code-files.ts';
import { indexIdentifiers } from '../../code/identifier-index.ts';
import { moduleOfPath } from '../../code/import-graph.ts';
import { type CodeIssue, compareCodeIssues } from '../../code/parsing/code-issue.ts';
import type { PatchCode } from '../../code/patch-code.ts';
import type { RevisionCode } from '../../code/project-code.ts';
import { SyntaxReader } from '../../code/syntax-reader.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { languageOfGrammar } from '../../core/language.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { findDanglingReferences } from './dangling-references.ts';
import { findNamesUnusedInFile, findPrivateNames } from './private-names.ts';
import { findUncalledFunctions, type UncalledCandidate } from './uncalled-functions.ts';
import { findUnreachableCode } from './unreachable-code.ts';
import { findUnusedImports, type ParsedFile } from './unused-imports.ts';

/** What our own analysis says about the patch. */
export async function findDeadCodeFindings({
  project,
  changed,
  store,
  changes,
  deadlineCpuMs,
}: PatchCode): Promise<readonly GateFinding[]> {
  const reader = new SyntaxReader(store, deadlineCpuMs);
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

const issuesOf = (view: ParsedFile): CodeIssue[] => [
  ...findUnusedImports(view),
  ...findUnreachableCode(view.root),
];

async function viewOf(file: CodeFile, side: RevisionCode, reader: SyntaxReader): Promise<ParsedFile | null> {
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
