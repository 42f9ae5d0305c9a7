import { ruleOf } from './registry.ts';

/** What SARIF says of a rule, and where its page is. */
export interface RulePage {
  readonly says: string;
  readonly why: string;
  /** Below the folder of the documentation. */
  readonly page: string;
}

/** The page of a rule of ours; of what a tool says, the page that lists the gates. */
export function pageOf(id: string): RulePage {
  const rule = ruleOf(id);
  if (rule === undefined)
    return { says: id, why: 'The gate, or its tool, says more in its message.', page: 'gate-list.md' };
  return { says: rule.says, why: rule.why, page: `rules/${rule.id}.md` };
}

/** How anybody asks for the page of a rule without a browser; null for what a tool says. */
export const explanationOf = (id: string): string | null =>
  ruleOf(id) === undefined ? null : `assay rules explain ${id}`;
