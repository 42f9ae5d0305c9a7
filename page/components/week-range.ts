const WEEK = 7 * 86_400;

/** From when to when is drawn, in seconds: a week at least, as the library makes years of a single day. */
export const rangeOfAtLeastAWeek = (first: number, last: number): [number, number] => [
  Math.min(first, last - WEEK),
  last,
];
