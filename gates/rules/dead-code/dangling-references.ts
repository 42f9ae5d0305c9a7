import { type FileChange, getPathInBase } from '../../../workspace/git/file-changes.ts';
import type { ChangedCodeFile } from '../../code/changed-code.ts';
import type { CodeFile } from '../../code/code-files.ts';
import { indexIdentifiers, normalizeIdentifier } from '../../code/identifier-index.ts';
import { type ImportEdge, moduleOfPath } from '../../code/import-graph.ts';
import { ModuleExports } from '../../code/module-exports.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import type { ProjectCodeRevisions } from '../../code/project-code.ts';
import type { ModulePublicNames } from '../../code/public-names/module-public-names.ts';
import type { SyntaxTreeReader } from '../../code/syntax-reader.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { type Language, languageOfGrammar } from '../../core/language.ts';

/** Imports that led to a module which the patch deletes, and that now lead nowhere. */
async function findImportsOfDeletedModules(
  project: ProjectCodeRevisions,
  exports: ModuleExports,
  changes: readonly FileChange[],
): Promise<GateFinding[]> {
  const { base, head } = project;
  const moved = new Map(
    changes.flatMap((change) => (change.previousPath === null ? [] : [[change.previousPath, change.path]])),
  );
  const gone = new Set(
    changes.flatMap((change) => {
      const path = getPathInBase(change);
      const module = path === null ? null : moduleOfPath(path);
      return module !== null &&
        base.filesOfModule(module).length > 0 &&
        head.filesOfModule(module).length === 0
        ? [module]
        : [];
    }),
  );
  const seen: GateFinding[] = [];
  for (const module of gone) {
    if (hasFolder(project, module)) continue;
    for (const edge of base.importGraph.incomingEdges.get(module) ?? []) {
      const file = moved.get(edge.file) ?? edge.file;
      const line = await deadImport(project, exports, edge, file);
      if (line === null) continue;
      const message = `still imports ${module}, which the patch removes`;
      seen.push({ file, line, rule: 'lost_caller', message, severity: 'error' });
    }
  }
  return seen;
}

/** Line of the import in the new tree, when it is still there and leads to nothing that has what it asks for. */
async function deadImport(
  { head }: ProjectCodeRevisions,
  exports: ModuleExports,
  edge: ImportEdge,
  path: string,
): Promise<number | null> {
  const file = head.files.code.get(path);
  if (!file) return null;
  const left = head.importsOfFile(file).filter(({ specifier }) => specifier === edge.specifier);
  for (const { line, names } of left) {
    const edges = (head.importGraph.outgoingEdges.get(moduleOfPath(path)) ?? []).filter(
      (each) => each.file === path && each.line === line && each.specifier === edge.specifier,
    );
    if (edges.length === 0) return line;
    // `from package import module`: the package is still there, the module is not.
    const wanted = names.find(({ local }) =>
      edge.names.some((each) => each.name === '*' && each.local === local),
    );
    if (!wanted || wanted.name === '*' || edges.some((each) => each.names.some(({ name }) => name === '*')))
      continue;
    const surfaces = await Promise.all(edges.map(({ to }) => exports.readSurface(to)));
    if (surfaces.every((surface) => surface && !surface.mayHaveMoreNames && !surface.names.has(wanted.name)))
      return line;
  }
  return null;
}

/** A Python module may have become a folder without a file of its own. */
const hasFolder = ({ head }: ProjectCodeRevisions, module: string): boolean =>
  module.endsWith('.py') && head.files.paths.some((path) => path.startsWith(`${module.slice(0, -3)}/`));

/** Node types of `owner.name`, with the places of both. */
const MEMBERS: Readonly<Record<Language, Readonly<Record<string, readonly [owner: string, name: string]>>>> =
  {
    python: { attribute: ['object', 'attribute'] },
    javascript: { member_expression: ['object', 'property'], nested_type_identifier: ['module', 'name'] },
    go: { selector_expression: ['operand', 'field'], qualified_type: ['package', 'name'] },
    rust: { scoped_identifier: ['path', 'name'], scoped_type_identifier: ['path', 'name'] },
  };

/** Places where one of the names is taken from one of the owners. */
function* findMemberAccesses(
  root: SyntaxNode,
  language: Language,
  owners: ReadonlySet<string>,
  names: ReadonlySet<string>,
): Generator<{ readonly name: string; readonly line: number }> {
  const shapes = MEMBERS[language];
  for (const node of root.walk()) {
    const shape = shapes[node.type];
    const owner = shape && node.childForField(shape[0]);
    const member = shape && node.childForField(shape[1]);
    if (!owner || !member) continue;
    const name = normalizeIdentifier(language, member);
    if (names.has(name) && owners.has(normalizeIdentifier(language, owner).replace(/\s/g, '')))
      yield { name, line: member.line };
  }
}

const PYTHON = new Set(
  `abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod
  enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter
  len list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice
  sorted staticmethod str sum super tuple type vars zip copyright credits license reveal_type`.split(/\s+/),
);
const GO = new Set(
  `any append bool byte cap clear close comparable complex copy delete error false float32 float64 imag int int8 int16 int32 int64
  len make max min new nil panic print println real recover rune string true uint uint8 uint16 uint32 uint64 uintptr`.split(
    /\s+/,
  ),
);
/** What browsers have and Node has not, as far as it has names that somebody might give to a function. */
const BROWSER = new Set(
  'alert close confirm document find focus history location name open parent print prompt scroll self status stop top window'.split(
    ' ',
  ),
);

/** Whether a name means something when nobody has defined it. */
function isBuiltin(language: Language, name: string): boolean {
  if (language === 'python')
    return (
      PYTHON.has(name) || /^(?:[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration))$/.test(name)
    );
  if (language === 'go') return GO.has(name);
  return language === 'javascript' && (name in globalThis || BROWSER.has(name));
}

/** Functions, classes and exports that the patch removes, and that somebody still refers to. */
export async function findDanglingReferences(
  project: ProjectCodeRevisions,
  reader: SyntaxTreeReader,
  changed: readonly ChangedCodeFile[],
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
function affected({ head }: ProjectCodeRevisions, changed: readonly ChangedCodeFile[]): Map<string, string> {
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
  { head }: ProjectCodeRevisions,
  reader: SyntaxTreeReader,
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
  before: ModulePublicNames,
  { head }: ProjectCodeRevisions,
  reader: SyntaxTreeReader,
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
  severity: 'error',
});

function unique(seen: readonly GateFinding[]): GateFinding[] {
  const keys = new Set<string>();
  return seen.filter(({ file, line, message }) => {
    const key = `${file} ${line} ${message}`;
    return !keys.has(key) && keys.add(key);
  });
}
