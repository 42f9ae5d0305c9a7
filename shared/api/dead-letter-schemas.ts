import * as z from 'zod';
import { DeadLetter } from '../control/dead-letters/schema.ts';
import { LetterStatus } from '../control/dead-letters/status.ts';
import { ListQuery } from './schemas.ts';

export const LetterView = DeadLetter.omit({ messages: true })
  .extend({
    retry_count: z.int().nonnegative(),
    task_id: z.string().nullable().describe('Null: it is about no single task.'),
  })
  .meta({ id: 'DeadLetter' });
export type LetterView = z.infer<typeof LetterView>;

export const LetterList = z
  .object({
    dead_letters: z.array(LetterView),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'DeadLetterList' });
export type LetterList = z.infer<typeof LetterList>;

export const LettersQuery = z.strictObject({
  status: LetterStatus.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(50)
    .describe('Tasks that are looked at, each with all of its dead letters.'),
  cursor: ListQuery.shape.cursor,
});

export const LetterWord = z
  .strictObject({ reason: z.string().trim().min(1).max(1_000) })
  .meta({ id: 'DeadLetterWord' });
