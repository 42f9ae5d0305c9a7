import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 trade speed for memory; call it before the modules of a command are loaded. A check reads thousands of files one after the other
 * and keeps little of each. On 100,000 lines, of 208 MB, the young generation grew to 50 MB, and an old generation that may double before
 * a collection held 20 MB of garbage.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}
