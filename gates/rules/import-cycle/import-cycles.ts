import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import { type FileChange, getPathInBase } from '../../../workspace/git/file-changes.ts';
import type { ImportEdge } from '../../code/import-graph.ts';
import { moduleOfPath } from '../../code/import-graph.ts';
import type { ImportKind } from '../../code/imports/import-reference.ts';
import { findShortestPath, findStronglyConnectedComponents } from '../../code/parsing/graph-search.ts';
import type { ProjectCodeRevisions, RevisionCode } from '../../code/project-code.ts';
import { baseNameOf } from '../../code/resolve/import-resolver.ts';
import type { GateFinding } from '../../core/gate-finding.ts';

/** What a circle consists of: imports that take effect at once; also those inside functions; also those for types only. */
const LEVELS: readonly {
  readonly kinds: readonly ImportKind[];
  readonly rule: string;
  readonly what: string;
}[] = [
  { kinds: ['runtime'], rule: 'import_cycle', what: '' },
  {
    kinds: ['runtime', 'deferred'],
    rule: 'import_cycle_deferred',
    what: ' (in part only when a function is called)',
  },
  {
    kinds: ['runtime', 'deferred', 'type'],
    rule: 'import_cycle_type_only',
    what: ' (in part for types only)',
  },
];

/** Circles that are worked out; a patch that makes more of them fails anyhow. */
const MAX_CYCLES = 100;

/**
 * Circles of imports in the new tree. A circle is new when one of its imports is; it fails when it takes effect at run time
 * and a module of it was changed.
 */
export function findImportCycles(
  project: ProjectCodeRevisions,
  changes: readonly FileChange[],
): GateFinding[] {
  const renamed = renames(project, changes);
  const touched = new Set(changes.map((change) => moduleOfPath(change.path)));
  const shown = new Set<string>();
  return LEVELS.flatMap((level, index): GateFinding[] => {
    const base = edgesOf(project.base, level.kinds);
    const had = new Set(base.map((edge) => keyOf(renamed(edge.from), renamed(edge.to))));
    const cycles = findShortestCycles(
      edgesOf(project.head, level.kinds),
      (edge) => !had.has(keyOf(edge.from, edge.to)),
      touched,
    );
    return cycles.flatMap(({ edge, path, isNew }): GateFinding[] => {
      const key = normalised(path);
      if (shown.has(key) || (!isNew && index > 0)) return [];
      shown.add(key);
      const isTouched = path.some((module) => touched.has(module));
      const weight = !isNew ? 'existing' : index === 0 && isTouched ? 'error' : 'info';
      const message = `${[...path, path[0]].join(' -> ')}${level.what}`;
      return [{ file: edge.file, line: edge.line, rule: level.rule, message, severity: weight }];
    });
  });
}

interface ImportCycle {
  readonly edge: ImportEdge;
  readonly path: readonly string[];
  readonly isNew: boolean;
}

/** A shortest circle through each new edge, and one through each touched module that is in a circle without a new edge. */
function findShortestCycles(
  edges: readonly ImportEdge[],
  isNew: (edge: ImportEdge) => boolean,
  touched: ReadonlySet<string>,
): ImportCycle[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const successors = (module: string): Iterable<string> => next.get(module) ?? [];
  const groups = findStronglyConnectedComponents(next.keys(), successors);
  const inside = (module: string): string[] =>
    [...successors(module)].filter((to) => groups.get(to) === groups.get(module));
  const closed = edges.filter(({ from, to }) => groups.has(from) && groups.get(from) === groups.get(to));
  const fresh = closed.filter(isNew);
  const stale = new Set(closed.map(({ from }) => groups.get(from)));
  for (const { from } of fresh) stale.delete(groups.get(from));
  const old = [...stale].flatMap(
    (group) => closed.find(({ from }) => groups.get(from) === group && touched.has(from)) ?? [],
  );
  const circle = (edge: ImportEdge, isNewOne: boolean): ImportCycle[] => {
    const path = findShortestPath(edge.to, edge.from, inside);
    return path === null ? [] : [{ edge, path: [edge.from, ...path.slice(0, -1)], isNew: isNewOne }];
  };
  return [
    ...fresh.slice(0, MAX_CYCLES).flatMap((edge) => circle(edge, true)),
    ...old.slice(0, MAX_CYCLES).flatMap((edge) => circle(edge, false)),
  ];
}

/** Edges that can make a circle: tests are imported by nobody, and a Rust module always knows those that it contains. */
const edgesOf = ({ importGraph }: RevisionCode, kinds: readonly ImportKind[]): ImportEdge[] =>
  [...importGraph.outgoingEdges.values()]
    .flat()
    .filter(
      ({ from, to, kind, file }) =>
        kinds.includes(kind) &&
        !isTestPath(file) &&
        !isTestPath(to) &&
        !(file.endsWith('.rs') && isKin(from, to)),
    );

/** Whether one Rust module contains the other, by their places. */
const isKin = (a: string, b: string): boolean => {
  const [one, other] = [placeOf(a), placeOf(b)];
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
};
const placeOf = (path: string): string =>
  ['mod.rs', 'lib.rs', 'main.rs'].includes(baseNameOf(path))
    ? path.slice(0, path.lastIndexOf('/') + 1).replace(/\/$/, '')
    : path.replace(/\.rs$/, '');

const keyOf = (from: string, to: string): string => `${from}\0${to}`;

/** The same circle has the same text, wherever it was entered. */
function normalised(path: readonly string[]): string {
  const first = path.reduce((least, module, index) => (module < (path[least] ?? '') ? index : least), 0);
  return [...path.slice(first), ...path.slice(0, first)].join('\0');
}

/** The module of the new tree that a module of the base has become. */
function renames(
  { head, base }: ProjectCodeRevisions,
  changes: readonly FileChange[],
): (module: string) => string {
  const became = new Map<string, string>();
  const isIn = (side: RevisionCode, module: string): boolean =>
    side.files.has(module) ||
    side.importGraph.outgoingEdges.has(module) ||
    side.importGraph.incomingEdges.has(module);
  for (const change of changes) {
    const from = getPathInBase(change);
    if (from === null || change.headEntry === null) continue;
    const [old, now] = [moduleOfPath(from), moduleOfPath(change.path)];
    if (old !== now && isIn(base, old) && !isIn(head, old)) became.set(old, now);
  }
  return (module) => became.get(module) ?? module;
}
