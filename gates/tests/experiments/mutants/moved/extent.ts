/** How far what tests ask of a function is followed. */
export interface Extent {
  /** Most different values that are written down of one function. */
  readonly most: number;
  /** Whether it is also asked for what lies beside each of them. */
  readonly beside: boolean;
  /** Longest values and answers that are told apart, in characters. */
  readonly longest: number;
}

/** Some of it, with what lies beside: each value is asked for many times. */
export const WITH_BESIDE: Extent = { most: 40, beside: true, longest: 300 };
/** All of it, for a run that makes up many values; what lies beside is left out. */
export const ALL_ASKED: Extent = { most: 2_000, beside: false, longest: 1_900 };
