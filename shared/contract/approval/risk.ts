import * as z from 'zod';

export const RISKS = ['low', 'medium', 'high', 'critical'] as const;
export const Risk = z.enum(RISKS);
export type Risk = z.infer<typeof Risk>;

/** Which actions carry which risk. */
export const RISK_OF = {
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
} as const satisfies Readonly<Record<string, Risk>>;
export type ActionType = keyof typeof RISK_OF;
export const KNOWN_ACTIONS = Object.keys(RISK_OF) as ActionType[];

/** What an agent asks leave for; of another kind than the known ones, too. */
export const Action = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,31}:[a-z][a-z0-9_-]{0,31}$/,
    'must be "category:action", e.g. deploy:production',
  );

/** An action that nobody knows is of high risk. */
export const riskOf = (action: string): Risk =>
  Object.hasOwn(RISK_OF, action) ? RISK_OF[action as ActionType] : 'high';

/** Is it one that only a person may allow? */
export const needsPerson = (risk: Risk): boolean => risk === 'high' || risk === 'critical';
