import { TEST_INTEGRITY_RULES } from './changed-tests/rules.ts';
import { COMMENT_QUALITY_RULES } from './comment-quality/rules.ts';
import { DEAD_CODE_RULES } from './dead-code/rules.ts';
import { DLP_RULES } from './dlp-scan-rules.ts';
import type { Rule } from './framework/rule.ts';
import { IMPORT_CYCLE_RULES } from './import-cycle/rules.ts';
import { LARGE_FILE_RULES } from './large-file/rules.ts';
import { CONFLICT_MARKER_RULES } from './merge-conflict/rules.ts';
import { MIGRATION_RULES } from './migration-reversibility/rules.ts';
import { PII_RULES } from './pii-scan-rules.ts';
import { SUPPRESSION_RULES } from './suppressions/rules.ts';

/** Every rule that reads, by name. */
export const GATE_RULES: readonly Rule[] = [
  ...TEST_INTEGRITY_RULES,
  ...SUPPRESSION_RULES,
  ...DEAD_CODE_RULES,
  ...COMMENT_QUALITY_RULES,
  ...IMPORT_CYCLE_RULES,
  ...LARGE_FILE_RULES,
  ...CONFLICT_MARKER_RULES,
  ...MIGRATION_RULES,
  ...PII_RULES,
  ...DLP_RULES,
].sort((a, b) => (a.id < b.id ? -1 : 1));

const BY_ID = new Map(GATE_RULES.map((rule) => [rule.id, rule]));

export const findGateRule = (id: string): Rule | undefined => BY_ID.get(id);
