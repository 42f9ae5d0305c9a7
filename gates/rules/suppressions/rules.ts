import { createRuleFamily } from '../framework/family.ts';
import type { PatchView, Rule } from '../framework/rule.ts';
import { TAMPERING_RULES } from './rules/deceits.ts';
import { REVIEWABILITY_RULES } from './rules/readable.ts';
import { SUPPRESSION_COMMENT_RULES } from './rules/silencing.ts';

const collectFindings = async (patch: PatchView) => (await import('./look.ts')).findSuppressionFindings(patch);

/** Rules of the gate `suppressions`: what keeps a check, or a person, from seeing what the patch does. */
export const SUPPRESSION_RULES: readonly Rule[] = createRuleFamily(collectFindings, [...SUPPRESSION_COMMENT_RULES, ...REVIEWABILITY_RULES, ...TAMPERING_RULES]);
