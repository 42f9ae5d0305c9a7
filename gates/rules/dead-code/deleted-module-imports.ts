import { type FileChange, getBasePath } from '../../../workspace/git/file-changes.ts';
import { type ImportEdge, moduleOfPath } from '../../code/import-graph.ts';
import type { ModuleExports } from '../../code/module-exports.ts';
import type { ProjectCode } from '../../code/project-code.ts';
import type { GateFinding } from '../../core/gate-finding.ts';

/** Imports that led to a module which the patch deletes, and that now lead nowhere. */
export async function findImportsOfDeletedModules(
  project: ProjectCode,
  exports: ModuleExports,
  changes: readonly FileChange[],
): Promise<GateFinding[]> {
  const { base, head } = project;
  const moved = new Map(
    changes.flatMap((change) => (change.previousPath === null ? [] : [[change.previousPath, change.path]])),
  );
  const gone = new Set(
    changes.flatMap((change) => {
      const path = getBasePath(change);
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
      seen.push({ file, line, rule: 'lost_caller', message, severity: 'fails' });
    }
  }
  return seen;
}

/** Line of the import in the new tree, when it is still there and leads to nothing that has what it asks for. */
async function deadImport(
  { head }: ProjectCode,
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
const hasFolder = ({ head }: ProjectCode, module: string): boolean =>
  module.endsWith('.py') && head.files.paths.some((path) => path.startsWith(`${module.slice(0, -3)}/`));
