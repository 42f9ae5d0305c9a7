/** The edges of a graph that are looked at. */
export type GraphSuccessors = (module: string) => Iterable<string>;

/**
 * Groups of modules that all reach each other, by module: two modules with the same number are in one group. Modules that are in no
 * circle are left out. (Tarjan 1972, without recursion, because chains of imports can be long.)
 */
export function findStronglyConnectedComponents(
  modules: Iterable<string>,
  successors: GraphSuccessors,
): Map<string, number> {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found = new Map<string, number>();
  let groups = 0;

  const enter = (module: string): Frame => {
    order.set(module, order.size);
    low.set(module, order.get(module) ?? 0);
    open.push(module);
    isOpen.add(module);
    return { module, rest: [...successors(module)] };
  };
  const lower = (module: string, to: number | undefined): void => {
    low.set(module, Math.min(low.get(module) ?? 0, to ?? 0));
  };
  const leave = (module: string): void => {
    if (low.get(module) !== order.get(module)) return;
    const group: string[] = [];
    for (let last = open.pop(); last !== undefined; last = last === module ? undefined : open.pop()) {
      isOpen.delete(last);
      group.push(last);
    }
    if (group.length > 1) {
      for (const each of group) found.set(each, groups);
      groups++;
    }
  };

  for (const start of modules) {
    if (order.has(start)) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const next = frame.rest.pop();
      if (next === undefined) {
        frames.pop();
        leave(frame.module);
        const outer = frames.at(-1);
        if (outer) lower(outer.module, low.get(frame.module));
      } else if (!order.has(next)) frames.push(enter(next));
      else if (isOpen.has(next)) lower(frame.module, order.get(next));
    }
  }
  return found;
}

interface Frame {
  readonly module: string;
  readonly rest: string[];
}

/** A shortest way from one module to another, both included; null when there is none. */
export function findShortestPath(from: string, to: string, successors: GraphSuccessors): string[] | null {
  const cameFrom = new Map<string, string | null>([[from, null]]);
  for (let ring = [from]; ring.length > 0; ) {
    const next: string[] = [];
    for (const module of ring) {
      if (module === to) return trace(to, cameFrom);
      for (const each of successors(module)) {
        if (cameFrom.has(each)) continue;
        cameFrom.set(each, module);
        next.push(each);
      }
    }
    ring = next;
  }
  return null;
}

function trace(to: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let at: string | null = to; at !== null; at = cameFrom.get(at) ?? null) path.unshift(at);
  return path;
}
