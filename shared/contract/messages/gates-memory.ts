/** What gates keep beyond a run. `results` and `baselines` are written once; `history` grows, `facts` are replaced, `exams` are acceptance tests, `counterexamples` grow. */
export const GATES_CACHE_KINDS = [
  'results',
  'baselines',
  'history',
  'facts',
  'exams',
  'counterexamples',
] as const;
export type GatesCacheKind = (typeof GATES_CACHE_KINDS)[number];
