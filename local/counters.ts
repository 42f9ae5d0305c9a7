import type { OperationCounters } from './shared-types.ts';

/** Creates counters by service and operation, since the start or the last reset. */
export function createOperationCounters(): OperationCounters {
  const counts = new Map<string, Map<string, number>>();
  return {
    add(service, operation, amount = 1) {
      const operations = counts.get(service) ?? new Map<string, number>();
      operations.set(operation, (operations.get(operation) ?? 0) + amount);
      counts.set(service, operations);
    },
    snapshot: () =>
      Object.fromEntries(
        [...counts].map(([service, operations]) => [service, Object.fromEntries(operations)]),
      ),
    reset: () => counts.clear(),
  };
}
