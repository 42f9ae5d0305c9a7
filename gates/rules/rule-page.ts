import { findGateRule } from './rule-registry.ts';

/** What SARIF says of a rule, and where its page is. */
export interface RuleDocumentation {
  readonly summary: string;
  readonly rationale: string;
  /** Below the folder of the documentation. */
  readonly page: string;
}

/** The page of a rule of ours; of what a tool says, the page that lists the gates. */
export function getRuleDocumentation(id: string): RuleDocumentation {
  const rule = findGateRule(id);
  if (rule === undefined)
    return {
      summary: id,
      rationale: 'The gate, or its tool, says more in its message.',
      page: 'reference/gate-list.md',
    };
  return { summary: rule.summary, rationale: rule.rationale, page: `reference/rules.md#${rule.id}` };
}

/** How anybody asks for the page of a rule without a browser; null for what a tool says. */
export const getExplainCommand = (id: string): string | null =>
  findGateRule(id) === undefined ? null : `assay rules explain ${id}`;
