/** What gates keep beyond a run. `results` and `baselines` are written once; `history` grows, `facts` are replaced. */
export const GATES_MEMORY_KINDS = ['results', 'baselines', 'history', 'facts'] as const;
export type GatesMemoryKind = (typeof GATES_MEMORY_KINDS)[number];
