import { TEST_RULES } from './changed-tests/rules.ts';
import { COMMENT_RULES } from './comment-quality/rules.ts';
import { DEAD_CODE_RULES } from './dead-code/rules.ts';
import { CYCLE_RULES } from './import-cycle/rules.ts';
import type { Rule } from './rule.ts';
import { SUPPRESSION_RULES } from './suppressions/rules.ts';

/** Every rule that reads, by name. */
export const RULES: readonly Rule[] = [
  ...TEST_RULES,
  ...SUPPRESSION_RULES,
  ...DEAD_CODE_RULES,
  ...COMMENT_RULES,
  ...CYCLE_RULES,
].sort((a, b) => (a.id < b.id ? -1 : 1));

const BY_ID = new Map(RULES.map((rule) => [rule.id, rule]));

export const ruleOf = (id: string): Rule | undefined => BY_ID.get(id);
