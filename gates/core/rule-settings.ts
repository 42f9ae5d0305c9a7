/** What a finding of a rule does, from nothing (`off`) to a failed gate (`error`). */
export const RULE_LEVELS = ['off', 'info', 'warning', 'error'] as const;
export type RuleLevel = (typeof RULE_LEVELS)[number];
/** What the base's `assay.yaml` says of a rule. */
export interface RuleSetting {
  readonly id: string;
  readonly level: RuleLevel;
  /** Globs of files that it is for; null: all. */
  readonly paths: readonly string[] | null;
  readonly reason: string | null;
  /** As ISO 8601, a day to its end in UTC; null: for good. */
  readonly expires: string | null;
  /** Less than the rule would do by itself. */
  readonly weakened: boolean;
}
/** What holds now, and what would but for its date. */
export interface RuleSettings {
  readonly active: readonly RuleSetting[];
  readonly expired: readonly RuleSetting[];
}
export const NO_RULE_SETTINGS: RuleSettings = { active: [], expired: [] };
