import { isRecord } from './resource-properties.ts';
import type { InjectedFaults } from './shared-types.ts';

/** Creates the faults with all of them off. */
export const createInjectedFaults = (): InjectedFaults => ({
  duplicateMessages: false,
  lostRemovals: false,
  duplicateStream: false,
  shuffle: false,
  runTaskCapacityFailures: 0,
});

/**
 * Sets the given faults. @throws Error, without setting any, for an unknown name or a value of the wrong
 * type.
 */
export function updateInjectedFaults(faults: InjectedFaults, change: unknown): void {
  if (!isRecord(change)) throw new Error('faults must be an object');
  const current: Readonly<Record<string, unknown>> = { ...faults };
  for (const [name, value] of Object.entries(change)) {
    if (!Object.hasOwn(current, name)) throw new Error(`there is no fault ${name}`);
    if (typeof value !== typeof current[name]) {
      throw new Error(`${name} must be a ${typeof current[name]}`);
    }
  }
  Object.assign(faults, change);
}

/** Returns a copy in random order (Fisher–Yates). */
export function shuffle<T>(items: readonly T[]): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    const [a, b] = [result[last], result[other]];
    if (a === undefined || b === undefined) continue;
    result[last] = b;
    result[other] = a;
  }
  return result;
}
