/** Largest entry in bytes; what is larger is not kept. */
export const MAX_CACHE_ENTRY_BYTES = 4 * 1_048_576;
