import * as z from 'zod';

export const REASONING_EFFORT_LEVELS = ['low', 'normal', 'medium', 'high', 'max'] as const;
export const ReasoningEffortLevel = z.enum(REASONING_EFFORT_LEVELS);
export type ReasoningEffortLevel = z.infer<typeof ReasoningEffortLevel>;
