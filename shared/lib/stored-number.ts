import * as z from 'zod';

/** Smallest distance from zero that the table can hold; its documents say 1E-130. */
const SMALLEST = 1e-130;

/**
 * A number that the table can hold and give back as it was: the table takes 1E-130 to 9.99E+125, and its client no integer beyond
 * 2^53. All numbers that are stored are of this type (or `z.int()`, which has the same bounds), so that none is refused only by the write.
 */
export const StorableNumber = z
  .number()
  .min(-Number.MAX_SAFE_INTEGER)
  .max(Number.MAX_SAFE_INTEGER)
  .refine((value) => value === 0 || Math.abs(value) >= SMALLEST, {
    message: `must be 0, or at least ${SMALLEST} away from it`,
  });
