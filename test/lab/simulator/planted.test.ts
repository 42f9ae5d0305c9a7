import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { STACK_FAULTS, type StackFaultPart } from '../../../lab/simulator/kills/stack-faults.ts';
import { applyFault } from '../../../lab/simulator/planted/plant-fault.ts';
import { PLANTED_FAULTS, type PlantedFault } from '../../../lab/simulator/planted/planted-faults.ts';

/** Faults of the simulation, and each part of those that kills must find. */
const FAULTS: readonly (readonly [name: string, fault: StackFaultPart])[] = [
  ...Object.entries<PlantedFault>(PLANTED_FAULTS),
  ...Object.entries<readonly StackFaultPart[]>(STACK_FAULTS).flatMap(([name, parts]) =>
    parts.map((part) => [`${name}: ${part.module}`, part] as const),
  ),
];

test.each(FAULTS)(
  'the planted fault "%s" finds its place in its module, which it leaves readable',
  (name, fault) => {
    const text = readFileSync(new URL(`../../../${fault.module}`, import.meta.url), 'utf8');
    const broken = applyFault(text, name, fault);
    expect(broken.trim()).not.toBe(text.trim());
    expect(stripTypeScriptTypes(broken)).toBeTypeOf('string');
  },
);

test.each(FAULTS.filter(([, { append }]) => append !== undefined))(
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

test.each(FAULTS.filter(([, { append }]) => append !== undefined))(
  'the planted fault "%s" makes objects with fields that its module has',
  (_name, { module, append = '' }) => {
    const text = readFileSync(new URL(`../../../${module}`, import.meta.url), 'utf8');
    const fields = [...append.matchAll(/[{,] (\w+):/g)].map(([, field = '']) => field);
    const isField = (field: string): boolean =>
      new RegExp(`\\.${field}\\b|\\b${field}\\??:|[{,]\\s*${field}\\s*[,}]`).test(text);
    expect(fields.filter((field) => !isField(field))).toEqual([]);
  },
);
