import * as z from 'zod';

/** Token counts, each kind priced apart. What is read from a cache or written to one is not in `input_tokens`. */
export const TokenUsage = z.strictObject({
  input_tokens: z.number().int().nonnegative(),
  output_tokens: z.number().int().nonnegative(),
  cache_read_tokens: z.number().int().nonnegative().default(0),
  cache_write_tokens: z.number().int().nonnegative().default(0),
});
export type TokenUsage = z.infer<typeof TokenUsage>;
