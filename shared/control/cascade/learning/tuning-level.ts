import * as z from 'zod';

/**
 * How far a deployment changes its own settings. L0 proposes, and a person applies; from L1 on what is of L0 and L1 applies itself when its test
 * holds. What is of a higher level than this is applied by nobody.
 */
export const SELF_TUNING_LEVELS = ['L0', 'L1', 'L2', 'L3'] as const;
export const SelfTuningLevel = z.enum(SELF_TUNING_LEVELS);
export type SelfTuningLevel = z.infer<typeof SelfTuningLevel>;
