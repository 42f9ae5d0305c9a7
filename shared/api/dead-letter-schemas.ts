import * as z from 'zod';
import { DeadLetter } from '../control/dead-letters/dead-letter.ts';
import { LetterStatus } from '../control/dead-letters/letter-status.ts';
import { ListTasksQuery } from './task-schemas.ts';

export const DeadLetterView = DeadLetter.omit({ messages: true })
  .extend({
    retry_count: z.int().nonnegative(),
    task_id: z.string().nullable().describe('Null: it belongs to no single task.'),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetterView = z.infer<typeof DeadLetterView>;

export const DeadLetterList = z
  .object({
    dead_letters: z.array(DeadLetterView),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'DeadLetterList' });
export type DeadLetterList = z.infer<typeof DeadLetterList>;

export const DeadLettersQuery = z.strictObject({
  status: LetterStatus.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(50)
    .describe('Number of tasks to list, each with all of its dead letters.'),
  cursor: ListTasksQuery.shape.cursor,
});

export const DeadLetterActionBody = z
  .strictObject({ reason: z.string().trim().min(1).max(1_000) })
  .meta({ id: 'DeadLetterActionBody' });
