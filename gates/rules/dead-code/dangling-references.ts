import type { FileChange } from '../../../workspace/git/file-changes.ts';
import type { ChangedCode } from '../../code/changed-code.ts';
import type { CodeFile } from '../../code/code-files.ts';
import { indexIdentifiers } from '../../code/identifier-index.ts';
import { type ImportEdge, moduleOfPath } from '../../code/import-graph.ts';
import { ModuleExports } from '../../code/module-exports.ts';
import type { ProjectCode } from '../../code/project-code.ts';
import type { ModuleSurface } from '../../code/surface/module-surface.ts';
import type { SyntaxReader } from '../../code/syntax-reader.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { languageOfGrammar } from '../../core/language.ts';
import { isBuiltin } from './builtins.ts';
import { findImportsOfDeletedModules } from './deleted-module-imports.ts';
import { findMemberAccesses } from './member-accesses.ts';

/** Functions, classes and exports that the patch removes, and that somebody still refers to. */
export async function findDanglingReferences(
  project: ProjectCode,
  reader: SyntaxReader,
  changed: readonly ChangedCode[],
  changes: readonly FileChange[],
): Promise<GateFinding[]> {
  const base = new ModuleExports(project.base, reader);
  const head = new ModuleExports(project.head, reader);
  const seen = await findImportsOfDeletedModules(project, head, changes);
  for (const [module, was] of affected(project, changed)) {
    const before = await base.readSurface(was);
    const after = await head.readSurface(module);
    if (before === null || after === null || after.mayHaveMoreNames) continue;
    const gone = new Set([...before.names].filter((name) => !after.names.has(name)));
    if (gone.size === 0) continue;
    for (const edge of project.head.importGraph.incomingEdges.get(module) ?? [])
      for (const { name, line } of await findImportedUses(edge, gone, project, reader))
        seen.push(createDanglingReferenceFinding(edge.file, line, `${name} of ${module}`));
    seen.push(...(await ownUses(module, gone, before, project, reader)));
  }
  return unique(seen);
}

/** Modules whose surface the patch may have changed, with the module of the base that each one was. */
function affected({ head }: ProjectCode, changed: readonly ChangedCode[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { before, after } of changed) {
    if (!before) continue;
    const was = moduleOfPath(before.path);
    found.set(after ? moduleOfPath(after.path) : was, was);
  }
  // Whoever passes all of it on offers less too.
  const waiting = [...found.keys()];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop())
    for (const { from, isReexport, names } of head.importGraph.incomingEdges.get(module) ?? []) {
      if (!isReexport || found.has(from) || !names.some(({ name }) => name === '*')) continue;
      found.set(from, from);
      waiting.push(from);
    }
  return found;
}

interface NameUse {
  readonly name: string;
  readonly line: number;
}

async function findImportedUses(
  edge: ImportEdge,
  gone: ReadonlySet<string>,
  { head }: ProjectCode,
  reader: SyntaxReader,
): Promise<NameUse[]> {
  const named = edge.names
    .filter(({ name }) => gone.has(name))
    .map(({ name }) => ({ name, line: edge.line }));
  const locals = edge.names.flatMap(({ name, local }) => (name === '*' && local !== null ? [local] : []));
  const file = head.files.code.get(edge.file);
  const root = file && locals.length > 0 ? await reader.readSyntax(file) : null;
  if (!file || !root) return named;
  const language = languageOfGrammar(file.grammar);
  const { bindings } = indexIdentifiers(root, language);
  // A name that is also given to something else may mean that.
  const owners = new Set(
    locals.filter((local) => !bindings.has(local)).map((local) => ownerOf(edge.specifier, local)),
  );
  return [...named, ...findMemberAccesses(root, language, owners, gone)];
}

/** How `import a.b.c` is written where it is used: by its whole name. */
const ownerOf = (specifier: string, local: string): string =>
  specifier.startsWith(`${local}.`) ? specifier : local;

/** Uses of what is gone in the module's own files, where nothing else has that name. */
async function ownUses(
  module: string,
  gone: ReadonlySet<string>,
  before: ModuleSurface,
  { head }: ProjectCode,
  reader: SyntaxReader,
): Promise<GateFinding[]> {
  const seen: GateFinding[] = [];
  for (const file of siblings(module, head.files.code, head.filesOfModule(module))) {
    const root = await reader.readSyntax(file);
    if (!root) continue;
    const language = languageOfGrammar(file.grammar);
    const names = indexIdentifiers(root, language);
    for (const name of gone) {
      const [use] = names.uses.get(name) ?? [];
      if (!use || !before.ownNames.has(name) || names.bindings.has(name) || names.imports.has(name)) continue;
      if (!isBuiltin(language, name)) seen.push(createDanglingReferenceFinding(file.path, use.line, name));
    }
  }
  return seen;
}

/** The files of a module; for a Go package its tests too, which see it without importing it. */
function siblings(module: string, code: ReadonlyMap<string, CodeFile>, own: readonly CodeFile[]): CodeFile[] {
  if (own.every(({ path }) => path === module)) return [...own];
  return [...code.values()].filter(
    ({ path }) => path.endsWith('.go') && moduleOfPath(path.replace(/_test\.go$/, '.go')) === module,
  );
}

const createDanglingReferenceFinding = (file: string, line: number, what: string): GateFinding => ({
  file,
  line,
  rule: 'lost_caller',
  message: `still refers to ${what}, which the patch removes`,
  severity: 'fails',
});

function unique(seen: readonly GateFinding[]): GateFinding[] {
  const keys = new Set<string>();
  return seen.filter(({ file, line, message }) => {
    const key = `${file} ${line} ${message}`;
    return !keys.has(key) && keys.add(key);
  });
}
