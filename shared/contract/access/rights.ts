/** What an operator's token can be good for, beside being an operator's. */
export const OPERATOR_RIGHTS = ['read', 'submit', 'work', 'review'] as const;
export type OperatorRight = (typeof OPERATOR_RIGHTS)[number];

/** What a token is made as, and what it may do then. Everybody who may do something may read it. */
export const OPERATOR_ROLES = {
  read: ['read'],
  /** Submits tasks and plans, and cancels, retries or fails them: a CI job. */
  submit: ['read', 'submit'],
  /** Claims tasks for outside agents: a worker. */
  work: ['read', 'work'],
  /** Approves and rejects: a person. */
  review: ['read', 'review'],
  admin: OPERATOR_RIGHTS,
} as const satisfies { readonly [role: string]: readonly OperatorRight[] };
export type OperatorRole = keyof typeof OPERATOR_ROLES;
export const OPERATOR_ROLE_NAMES = Object.keys(OPERATOR_ROLES) as OperatorRole[];

/** The roles whose tokens are good for a right. */
export const rolesWithRight = (right: OperatorRight): OperatorRole[] =>
  OPERATOR_ROLE_NAMES.filter((role) => (OPERATOR_ROLES[role] as readonly OperatorRight[]).includes(right));

export const isOperatorRole = (text: string): text is OperatorRole => Object.hasOwn(OPERATOR_ROLES, text);
