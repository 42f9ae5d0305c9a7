/** What gates keep beyond a run. `results` and `baselines` are written once; `history` grows, `facts` are replaced. */
export const MEMORY_KINDS = ['results', 'baselines', 'history', 'facts'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];
