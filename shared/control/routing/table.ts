import type { Tier } from '../../contract/agents/tiers.ts';
import type { Effort, TaskSubmission } from '../../contract/submission/schema.ts';

/** What routing looks at. */
export type RoutingFields = Pick<TaskSubmission, 'role' | 'scope' | 'complexity'>;

export const ROUTING_RULE_NAMES = [
  'manager',
  'security',
  'architect',
  'large_and_complex',
  'medium',
  'low',
] as const;
export type RoutingRuleName = (typeof ROUTING_RULE_NAMES)[number];

interface RoutingRow {
  readonly rule: RoutingRuleName;
  readonly when: Partial<RoutingFields>;
  readonly tier: Tier;
  readonly effort: Effort;
  readonly why: string;
}

/**
 * Which tier a task is worth, and at what effort. The first row of which all fields are the task's counts. What none matches
 * (complex work of less than large scope) goes by its role.
 */
export const ROUTING_TABLE: readonly RoutingRow[] = [
  {
    rule: 'manager',
    when: { role: 'manager' },
    tier: 'opus',
    effort: 'max',
    why: 'planning needs deep reasoning',
  },
  {
    rule: 'security',
    when: { role: 'security' },
    tier: 'opus',
    effort: 'max',
    why: 'a security review must miss nothing',
  },
  {
    rule: 'architect',
    when: { role: 'architect' },
    tier: 'opus',
    effort: 'max',
    why: 'everything else is built on it',
  },
  {
    rule: 'large_and_complex',
    when: { scope: 'large', complexity: 'high' },
    tier: 'opus',
    effort: 'high',
    why: 'much that hangs together',
  },
  { rule: 'medium', when: { complexity: 'medium' }, tier: 'sonnet', effort: 'high', why: 'ordinary work' },
  { rule: 'low', when: { complexity: 'low' }, tier: 'sonnet', effort: 'normal', why: 'a quick fix' },
];
