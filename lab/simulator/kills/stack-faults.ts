import type { PlantedFault } from '../planted/planted-faults.ts';

export type StackFaultPart = Omit<PlantedFault, 'breaks'>;

/**
 * Faults of the embedded stack that kills must find. That an agent runs once for an attempt has two reasons, of which each is enough: the
 * client token of its launch outlives a kill, and its assignment can be read once. So this fault takes both away.
 */
export const STACK_FAULTS = {
  'a kill forgets which boxes were started, and brings back what they have removed': [
    {
      module: 'local/ecs/task-records.ts',
      append:
        'const kept = openTaskRecords; openTaskRecords = (...given) => ({ ...kept(...given), load: () => [], isDamaged: () => false });',
    },
    { module: 'local/queues/s3/object-files.ts', append: 'ObjectFiles.prototype.deleteObject = () => {};' },
    { module: 'local/services.ts', replace: [/void bus\.fireSchedules\([^)]*\);/, ''] },
  ],
} as const satisfies Readonly<Record<string, readonly StackFaultPart[]>>;

/** Flags for Node with which a stack has a fault: its threads, which have environments of their own, are given them, too. */
export function getFaultNodeFlags(name: string): readonly string[] {
  if (!(name in STACK_FAULTS))
    throw new Error(
      `there is no fault "${name}" of the stack; there are: ${Object.keys(STACK_FAULTS).join('; ')}`,
    );
  const preload = new URL('./preload.ts', import.meta.url);
  preload.searchParams.set('fault', name);
  return [`--import=${preload.href}`];
}

/** What makes up a fault. */
export const getFaultParts = (name: string): readonly StackFaultPart[] =>
  (STACK_FAULTS as Readonly<Record<string, readonly StackFaultPart[]>>)[name] ?? [];
