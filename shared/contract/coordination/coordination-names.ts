/** Where middleware may act between a goal and its tasks, in this order; all of them run from the first of a chain to the last. */
export const COORDINATION_HOOKS = [
  'before_decompose',
  'after_decompose',
  'before_dispatch',
  'after_rollup',
  'before_update_parent',
] as const;
export type CoordinationHook = (typeof COORDINATION_HOOKS)[number];

export const COORDINATION_MIDDLEWARE_NAMES = [
  'clarification_gate',
  'task_ledger',
  'plan_review_gate',
  'progress_ledger',
  'coordination_replan',
  'authority_deference_coordination',
] as const;
export type CoordinationMiddlewareName = (typeof COORDINATION_MIDDLEWARE_NAMES)[number];
