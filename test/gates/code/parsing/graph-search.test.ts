import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findReachableModules } from '../../../../gates/code/import-graph.ts';
import {
  findShortestPath,
  findStronglyConnectedComponents,
} from '../../../../gates/code/parsing/graph-search.ts';

const graphs = fc.array(fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 })), { maxLength: 24 }).map((pairs) => {
  const edges = new Map<string, Set<string>>();
  for (const [from, to] of pairs) edges.set(`m${from}`, (edges.get(`m${from}`) ?? new Set()).add(`m${to}`));
  return (module: string): Iterable<string> => edges.get(module) ?? [];
});
const MODULES = Array.from({ length: 8 }, (_, index) => `m${index}`);

/** Whether one module reaches another by at least one step. */
const reaches = (from: string, to: string, next: (module: string) => Iterable<string>): boolean =>
  [...next(from)].some((step) => findReachableModules([step], next).has(to));

test('two modules are in one knot exactly when each reaches the other', () => {
  fc.assert(
    fc.property(graphs, (next) => {
      const groups = findStronglyConnectedComponents(MODULES, next);
      for (const a of MODULES)
        for (const b of MODULES) {
          if (a === b) continue;
          const together = groups.has(a) && groups.get(a) === groups.get(b);
          expect(together).toBe(reaches(a, b, next) && reaches(b, a, next));
        }
    }),
  );
});

test('a shortest path is a path, and none is shorter', () => {
  fc.assert(
    fc.property(graphs, fc.constantFrom(...MODULES), fc.constantFrom(...MODULES), (next, from, to) => {
      const path = findShortestPath(from, to, next);
      expect(path !== null).toBe(findReachableModules([from], next).has(to));
      if (path === null) return;
      expect([path[0], path.at(-1)]).toEqual([from, to]);
      for (const [index, module] of path.slice(1).entries())
        expect([...next(path[index] ?? '')]).toContain(module);
      let ring = new Set([from]);
      for (let steps = 0; steps < path.length - 1; steps++) {
        expect(ring.has(to)).toBe(false);
        ring = new Set([...ring, ...[...ring].flatMap((module) => [...next(module)])]);
      }
    }),
  );
});

test('a chain of a hundred thousand modules is followed to its end', () => {
  const next = (module: string): string[] =>
    module === 'm99999' ? ['m0'] : [`m${Number(module.slice(1)) + 1}`];
  const modules = Array.from({ length: 100_000 }, (_, index) => `m${index}`);
  expect(new Set(findStronglyConnectedComponents(modules, next).values()).size).toBe(1);
});
