import type { PatchView, Rule } from '../framework/rule.ts';
import { createRuleFamily } from '../framework/rule-family.ts';
import { REVIEWABILITY_RULES } from './rules/reviewability.ts';
import { SUPPRESSION_COMMENT_RULES } from './rules/suppression-comments.ts';
import { TAMPERING_RULES } from './rules/tampering.ts';

const collectFindings = async (patch: PatchView) =>
  (await import('./suppression-findings.ts')).findSuppressionFindings(patch);

/** Rules of the gate `suppressions`: what keeps a check, or a person, from seeing what the patch does. */
export const SUPPRESSION_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  ...SUPPRESSION_COMMENT_RULES,
  ...REVIEWABILITY_RULES,
  ...TAMPERING_RULES,
]);
