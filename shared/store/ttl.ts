/** When an item is forgotten that was written at this moment, in seconds since 1970. */
export const computeTtlEpochSeconds = (days: number, at: Date): number =>
  Math.floor(at.getTime() / 1_000) + days * 86_400;
