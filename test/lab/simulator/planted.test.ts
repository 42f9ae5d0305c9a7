import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { PLANTED, type PlantedFault } from '../../../lab/simulator/planted/faults.ts';
import { changed } from '../../../lab/simulator/planted/plant.ts';

test.each(Object.entries<PlantedFault>(PLANTED))(
  'the planted fault "%s" finds its place in its module, which it leaves readable',
  (name, fault) => {
    const text = readFileSync(new URL(`../../../${fault.module}`, import.meta.url), 'utf8');
    const broken = changed(text, name, fault);
    expect(broken.trim()).not.toBe(text.trim());
    expect(stripTypeScriptTypes(broken)).toBeTypeOf('string');
  },
);
