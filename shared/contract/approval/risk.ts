import * as z from 'zod';

export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const;
export const RiskLevel = z.enum(RISK_LEVELS);
export type RiskLevel = z.infer<typeof RiskLevel>;

/** Which actions carry which risk. */
export const ACTION_RISKS = {
  'deploy:production': 'critical',
  'db:admin': 'critical',
  'org:fire': 'critical',
  'deploy:staging': 'high',
  'db:mutate': 'high',
  'code:delete': 'high',
  'vcs:push': 'high',
  'comms:external': 'high',
  'budget:exceed': 'high',
  'code:create': 'medium',
  'code:write': 'medium',
  'code:refactor': 'medium',
  'vcs:commit': 'medium',
  'arch:decide': 'medium',
  'org:hire': 'medium',
  'org:promote': 'medium',
  'budget:spend': 'medium',
  'code:read': 'low',
  'vcs:read': 'low',
  'test:run': 'low',
  'test:write': 'low',
  'docs:write': 'low',
  'vcs:branch': 'low',
  'comms:internal': 'low',
  'db:query': 'low',
  'memory:read': 'low',
} as const satisfies Readonly<Record<string, RiskLevel>>;
export type KnownAction = keyof typeof ACTION_RISKS;
export const KNOWN_ACTIONS = Object.keys(ACTION_RISKS) as KnownAction[];

/** What an agent asks leave for; of another kind than the known ones, too. */
export const ActionName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,31}:[a-z][a-z0-9_-]{0,31}$/,
    'must be "category:action", e.g. deploy:production',
  );

/** An action that nobody knows is of high risk. */
export const actionRisk = (action: string): RiskLevel =>
  Object.hasOwn(ACTION_RISKS, action) ? ACTION_RISKS[action as KnownAction] : 'high';

/** Is it one that only a person may allow? */
export const isHumanApprovalRequired = (risk: RiskLevel): boolean => risk === 'high' || risk === 'critical';
