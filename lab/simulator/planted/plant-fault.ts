import { registerHooks } from 'node:module';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.ts';

/** Changes a module of the control plane as it is loaded, in this process only. Before it is imported for the first time. */
export function plantFault(name: string): void {
  const fault: PlantedFault | undefined = (PLANTED_FAULTS as Readonly<Record<string, PlantedFault>>)[name];
  if (!fault)
    throw new Error(`there is no fault "${name}"; there are: ${Object.keys(PLANTED_FAULTS).join('; ')}`);
  plantFaultInModule(name, fault);
}

export function plantFaultInModule(name: string, fault: Omit<PlantedFault, 'breaks'>): void {
  const url = new URL(`../../../${fault.module}`, import.meta.url).href;
  registerHooks({
    load: (address, context, next) => {
      const loaded = next(address, context);
      return address === url ? { ...loaded, source: applyFault(String(loaded.source), name, fault) } : loaded;
    },
  });
}

/** A module's text with a fault in it. @throws when the fault no longer finds its place there. */
export function applyFault(
  source: string,
  name: string,
  { append, replace }: Omit<PlantedFault, 'breaks'>,
): string {
  if (replace && !replace[0].test(source)) throw new Error(`"${name}" no longer fits its module`);
  return `${replace ? source.replace(replace[0], replace[1]) : source}\n${append ?? ''}\n`;
}
