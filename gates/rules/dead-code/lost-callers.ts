import type { Change } from '../../../workspace/git/changes.ts';
import type { ChangedCode } from '../../code/changed.ts';
import { Exports } from '../../code/exports.ts';
import { type Edge, moduleOf } from '../../code/imports.ts';
import { namesOf } from '../../code/names.ts';
import type { Project } from '../../code/project.ts';
import type { CodeReader } from '../../code/reader.ts';
import type { Surface } from '../../code/surface/surface.ts';
import type { CodeFile } from '../../code/tree-files.ts';
import { languageOf } from '../../core/language.ts';
import type { Seen } from '../../core/seen.ts';
import { isBuiltin } from './builtins.ts';
import { deletedModules } from './deleted-modules.ts';
import { membersOf } from './members.ts';

/** Functions, classes and exports that the patch removes, and that somebody still refers to. */
export async function lostCallers(
  project: Project,
  reader: CodeReader,
  changed: readonly ChangedCode[],
  changes: readonly Change[],
): Promise<Seen[]> {
  const base = new Exports(project.base, reader);
  const head = new Exports(project.head, reader);
  const seen = await deletedModules(project, head, changes);
  for (const [module, was] of affected(project, changed)) {
    const before = await base.of(was);
    const after = await head.of(module);
    if (before === null || after === null || after.open) continue;
    const gone = new Set([...before.names].filter((name) => !after.names.has(name)));
    if (gone.size === 0) continue;
    for (const edge of project.head.graph.into.get(module) ?? [])
      for (const { name, line } of await takenFrom(edge, gone, project, reader))
        seen.push(lost(edge.file, line, `${name} of ${module}`));
    seen.push(...(await ownUses(module, gone, before, project, reader)));
  }
  return unique(seen);
}

/** Modules whose surface the patch may have changed, with the module of the base that each one was. */
function affected({ head }: Project, changed: readonly ChangedCode[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { before, after } of changed) {
    if (!before) continue;
    const was = moduleOf(before.path);
    found.set(after ? moduleOf(after.path) : was, was);
  }
  // Whoever passes all of it on offers less too.
  const waiting = [...found.keys()];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop())
    for (const { from, reexports, names } of head.graph.into.get(module) ?? []) {
      if (!reexports || found.has(from) || !names.some(({ name }) => name === '*')) continue;
      found.set(from, from);
      waiting.push(from);
    }
  return found;
}

interface Use {
  readonly name: string;
  readonly line: number;
}

async function takenFrom(
  edge: Edge,
  gone: ReadonlySet<string>,
  { head }: Project,
  reader: CodeReader,
): Promise<Use[]> {
  const named = edge.names
    .filter(({ name }) => gone.has(name))
    .map(({ name }) => ({ name, line: edge.line }));
  const locals = edge.names.flatMap(({ name, local }) => (name === '*' && local !== null ? [local] : []));
  const file = head.files.code.get(edge.file);
  const root = file && locals.length > 0 ? await reader.read(file) : null;
  if (!file || !root) return named;
  const language = languageOf(file.grammar);
  const { bound } = namesOf(root, language);
  // A name that is also given to something else may mean that.
  const owners = new Set(
    locals.filter((local) => !bound.has(local)).map((local) => ownerOf(edge.specifier, local)),
  );
  return [...named, ...membersOf(root, language, owners, gone)];
}

/** How `import a.b.c` is written where it is used: by its whole name. */
const ownerOf = (specifier: string, local: string): string =>
  specifier.startsWith(`${local}.`) ? specifier : local;

/** Uses of what is gone in the module's own files, where nothing else has that name. */
async function ownUses(
  module: string,
  gone: ReadonlySet<string>,
  before: Surface,
  { head }: Project,
  reader: CodeReader,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const file of siblings(module, head.files.code, head.filesOf(module))) {
    const root = await reader.read(file);
    if (!root) continue;
    const language = languageOf(file.grammar);
    const names = namesOf(root, language);
    for (const name of gone) {
      const [use] = names.used.get(name) ?? [];
      if (!use || !before.own.has(name) || names.bound.has(name) || names.imported.has(name)) continue;
      if (!isBuiltin(language, name)) seen.push(lost(file.path, use.line, name));
    }
  }
  return seen;
}

/** The files of a module; for a Go package its tests too, which see it without importing it. */
function siblings(module: string, code: ReadonlyMap<string, CodeFile>, own: readonly CodeFile[]): CodeFile[] {
  if (own.every(({ path }) => path === module)) return [...own];
  return [...code.values()].filter(
    ({ path }) => path.endsWith('.go') && moduleOf(path.replace(/_test\.go$/, '.go')) === module,
  );
}

const lost = (file: string, line: number, what: string): Seen => ({
  file,
  line,
  rule: 'lost_caller',
  message: `still refers to ${what}, which the patch removes`,
  weight: 'fails',
});

function unique(seen: readonly Seen[]): Seen[] {
  const keys = new Set<string>();
  return seen.filter(({ file, line, message }) => {
    const key = `${file} ${line} ${message}`;
    return !keys.has(key) && keys.add(key);
  });
}
