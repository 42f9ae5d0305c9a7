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

test.each(Object.entries<PlantedFault>(PLANTED_FAULTS).filter(([, { append }]) => append !== undefined))(
  'the planted fault "%s" replaces functions and methods that its module declares',
  (_name, { module, append = '' }) => {
    const text = readFileSync(new URL(`../../../${module}`, import.meta.url), 'utf8');
    const replaced = [...append.matchAll(/(?:^|[;}] ?)(\w+)(?:\.prototype\.(\w+))? = /g)];
    expect(replaced).not.toEqual([]);
    for (const [, name, method] of replaced) {
      expect(text).toMatch(new RegExp(`(?:function|class|const|let)\\s+${name}\\b`));
      if (method !== undefined) expect(text).toMatch(new RegExp(`^  (?:async )?(?:#|\\*)?${method}\\b`, 'm'));
    }
  },
);
