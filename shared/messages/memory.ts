/** What gates keep beyond a run. `results` and `baselines` are written once; `history` grows. */
export const MEMORY_KINDS = ['results', 'baselines', 'history'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];
