/** How far what tests ask of a function is followed. */
export interface RecordingExtent {
  /** Most different values that are written down of one function. */
  readonly maxCalls: number;
  /** Whether it is also asked for what lies beside each of them. */
  readonly includesNeighbours: boolean;
  /** Longest values and answers that are told apart, in characters. */
  readonly maxValueLength: number;
}

/** Some of it, with what lies beside: each value is asked for many times. */
export const WITH_NEIGHBOURS: RecordingExtent = {
  maxCalls: 40,
  includesNeighbours: true,
  maxValueLength: 300,
};
/** All of it, for a run that makes up many values; what lies beside is left out. */
export const ALL_CALLS: RecordingExtent = {
  maxCalls: 2_000,
  includesNeighbours: false,
  maxValueLength: 1_900,
};
