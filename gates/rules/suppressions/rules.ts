import { family } from '../framework/family.ts';
import type { PatchView, Rule } from '../framework/rule.ts';
import { DECEITS } from './rules/deceits.ts';
import { READABLE } from './rules/readable.ts';
import { SILENCING } from './rules/silencing.ts';

const reading = async (patch: PatchView) => (await import('./look.ts')).suppressionsIn(patch);

/** Rules of the gate `suppressions`: what keeps a check, or a person, from seeing what the patch does. */
export const SUPPRESSION_RULES: readonly Rule[] = family(reading, [...SILENCING, ...READABLE, ...DECEITS]);
