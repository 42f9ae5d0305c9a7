import { basePath, type Change } from '../../../workspace/git/changes.ts';
import type { Exports } from '../../code/exports.ts';
import { type Edge, moduleOf } from '../../code/imports.ts';
import type { Project } from '../../code/project.ts';
import type { Seen } from '../../core/seen.ts';

/** Imports that led to a module which the patch deletes, and that now lead nowhere. */
export async function deletedModules(
  project: Project,
  exports: Exports,
  changes: readonly Change[],
): Promise<Seen[]> {
  const { base, head } = project;
  const moved = new Map(
    changes.flatMap((change) => (change.from === null ? [] : [[change.from, change.path]])),
  );
  const gone = new Set(
    changes.flatMap((change) => {
      const path = basePath(change);
      const module = path === null ? null : moduleOf(path);
      return module !== null && base.filesOf(module).length > 0 && head.filesOf(module).length === 0
        ? [module]
        : [];
    }),
  );
  const seen: Seen[] = [];
  for (const module of gone) {
    if (hasFolder(project, module)) continue;
    for (const edge of base.graph.into.get(module) ?? []) {
      const file = moved.get(edge.file) ?? edge.file;
      const line = await deadImport(project, exports, edge, file);
      if (line === null) continue;
      const message = `still imports ${module}, which the patch removes`;
      seen.push({ file, line, rule: 'lost_caller', message, weight: 'fails' });
    }
  }
  return seen;
}

/** Line of the import in the new tree, when it is still there and leads to nothing that has what it asks for. */
async function deadImport(
  { head }: Project,
  exports: Exports,
  edge: Edge,
  path: string,
): Promise<number | null> {
  const file = head.files.code.get(path);
  if (!file) return null;
  const left = head.importsOf(file).filter(({ specifier }) => specifier === edge.specifier);
  for (const { line, names } of left) {
    const edges = (head.graph.from.get(moduleOf(path)) ?? []).filter(
      (each) => each.file === path && each.line === line && each.specifier === edge.specifier,
    );
    if (edges.length === 0) return line;
    // `from package import module`: the package is still there, the module is not.
    const wanted = names.find(({ local }) =>
      edge.names.some((each) => each.name === '*' && each.local === local),
    );
    if (!wanted || wanted.name === '*' || edges.some((each) => each.names.some(({ name }) => name === '*')))
      continue;
    const surfaces = await Promise.all(edges.map(({ to }) => exports.of(to)));
    if (surfaces.every((surface) => surface && !surface.open && !surface.names.has(wanted.name))) return line;
  }
  return null;
}

/** A Python module may have become a folder without a file of its own. */
const hasFolder = ({ head }: Project, module: string): boolean =>
  module.endsWith('.py') && head.files.paths.some((path) => path.startsWith(`${module.slice(0, -3)}/`));
