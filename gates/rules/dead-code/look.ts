import { moduleOf } from '../../code/imports.ts';
import { namesOf } from '../../code/names.ts';
import { compared, type Issue } from '../../code/parsing/issue.ts';
import type { CodeSide } from '../../code/project.ts';
import { CodeReader } from '../../code/reader.ts';
import type { Code } from '../../code/run.ts';
import type { CodeFile } from '../../code/tree-files.ts';
import { languageOf } from '../../core/language.ts';
import type { Seen } from '../../core/seen.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { lostCallers } from './lost-callers.ts';
import { type Candidate, noCallers } from './no-callers.ts';
import { privateNames, unusedHere } from './private-names.ts';
import { unreachable } from './unreachable.ts';
import { type FileView, unusedImports } from './unused-imports.ts';

/** What our own analysis says about the patch. */
export async function deadCodeSeen({
  project,
  changed,
  store,
  changes,
  until,
}: Code): Promise<readonly Seen[]> {
  const reader = new CodeReader(store, until);
  await reader.prepare(
    changed.flatMap(({ before, after }) => [before, after].filter((file) => file !== null)),
  );
  const seen: Seen[] = [...(await lostCallers(project, reader, changed, changes))];
  const known = new Set<string>();
  const candidates: Candidate[] = [];
  for (const { path, before, after } of changed) {
    const then = before && (await viewOf(before, project.base, reader));
    const now = after && (await viewOf(after, project.head, reader));
    for (const { name } of then ? privateNames(then.root, then.language) : []) known.add(name);
    if (!now || !after) continue;
    for (const each of compared(path, then ? issuesOf(then) : [], issuesOf(now))) seen.push(each);
    if (isTestPath(path)) continue;
    candidates.push(...unusedHere(now.root, now.language, now.names).map((name) => ({ file: after, name })));
  }
  seen.push(...(await noCallers(store, project.head, candidates, known)));
  return seen;
}

const issuesOf = (view: FileView): Issue[] => [...unusedImports(view), ...unreachable(view.root)];

async function viewOf(file: CodeFile, side: CodeSide, reader: CodeReader): Promise<FileView | null> {
  const root = await reader.read(file);
  if (!root) return null;
  const language = languageOf(file.grammar);
  return {
    path: file.path,
    language,
    root,
    names: namesOf(root, language),
    imports: side.importsOf(file),
    taken: takenFrom(file.path, side),
  };
}

/** Names that other modules import from a file. */
const takenFrom = (path: string, { graph }: CodeSide): Set<string> =>
  new Set((graph.into.get(moduleOf(path)) ?? []).flatMap(({ names }) => names.map(({ name }) => name)));
