import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { applyFault } from '../../../lab/simulator/planted/plant-fault.ts';
import { PLANTED_FAULTS, type PlantedFault } from '../../../lab/simulator/planted/planted-faults.ts';

test.each(Object.entries<PlantedFault>(PLANTED_FAULTS))(
  'the planted fault "%s" finds its place in its module, which it leaves readable',
  (name, fault) => {
    const text = readFileSync(new URL(`../../../${fault.module}`, import.meta.url), 'utf8');
    const broken = applyFault(text, name, fault);
    expect(broken.trim()).not.toBe(text.trim());
    expect(stripTypeScriptTypes(broken)).toBeTypeOf('string');
  },
);
