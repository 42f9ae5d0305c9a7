/** What gates keep beyond a run. `results` and `baselines` are written once; `history` grows, `facts` are replaced. */
export const GATES_CACHE_KINDS = ['results', 'baselines', 'history', 'facts'] as const;
export type GatesCacheKind = (typeof GATES_CACHE_KINDS)[number];
