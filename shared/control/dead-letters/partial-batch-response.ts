import * as z from 'zod';

/** What a reader of the stream answers: which of the records have failed, or nothing. */
const PartialBatchResponse = z.object({ batchItemFailures: z.array(z.unknown()) }).nullable();

/**
 * How many records a reader could not do, by what it has answered.
 * @throws ZodError, SyntaxError for an answer of another form: it says nothing of what has been done
 */
export const countFailedStreamRecords = (payload: string): number =>
  PartialBatchResponse.parse(payload === '' ? null : JSON.parse(payload))?.batchItemFailures.length ?? 0;
