import type { TaskSubmission } from '../../contract/submission/schema.ts';
import { truncateText } from '../../lib/truncate.ts';

/** A task of this role is given one by its words. */
export const AUTO_ROLE_NAME = 'auto';

/** Words that tell a role, the first that matches counts: what costs most when it is missed stands first. */
const ROLE_KEYWORDS: readonly (readonly [role: string, words: RegExp])[] = [
  [
    'security',
    /\b(?:security|vulnerabilit(?:y|ies)|cve-\d+|threat model|penetration|exploits?|xss|csrf|injection)\b/i,
  ],
  [
    'qa',
    /\b(?:(?:write|add|extend|improve)(?: \w+)? tests?|test coverage|coverage|regression tests?|flaky|qa)\b/i,
  ],
  [
    'devops',
    /\b(?:ci\/cd|ci|pipelines?|deploy(?:ment|s)?|docker(?:file)?|kubernetes|terraform|infrastructure)\b/i,
  ],
  ['docs', /\b(?:docs|documentation|readme|changelog|docstrings?|tutorial)\b/i],
  ['frontend', /\b(?:frontend|ui|css|react|vue|components?|accessibility|stylesheets?|layout)\b/i],
];

export interface ChosenRole {
  readonly role: string;
  /** Why, when it was chosen by us; null when the task says it. */
  readonly reason: string | null;
}

/** The role of a task: its own, or for `auto` the first that title, then description tell; `backend` when neither does. */
export function chooseRole({
  role,
  title,
  description,
}: Pick<TaskSubmission, 'role' | 'title' | 'description'>): ChosenRole {
  if (role !== AUTO_ROLE_NAME) return { role, reason: null };
  for (const [place, text] of [
    ['title', title],
    ['description', description],
  ] as const)
    for (const [chosen, words] of ROLE_KEYWORDS) {
      const found = words.exec(text);
      if (found) return { role: chosen, reason: `auto: the ${place} says "${truncateText(found[0], 60)}"` };
    }
  return { role: 'backend', reason: 'auto: no word tells another role' };
}
