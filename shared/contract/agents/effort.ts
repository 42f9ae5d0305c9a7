import * as z from 'zod';

export const EFFORTS = ['low', 'normal', 'medium', 'high', 'max'] as const;
export const Effort = z.enum(EFFORTS);
export type Effort = z.infer<typeof Effort>;
