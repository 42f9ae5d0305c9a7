/** How a criterion is graded. Grades are numbers of 0 to 1; these are the values that each type is meant to have. */
export const GRADE_TYPES = {
  binary: { values: [0, 1] },
  ternary: { values: [0, 0.5, 1] },
  score: { values: null },
} as const satisfies Readonly<Record<string, { readonly values: readonly number[] | null }>>;
export type GradeType = keyof typeof GRADE_TYPES;
export const GRADE_TYPE_NAMES = Object.keys(GRADE_TYPES) as [GradeType, ...GradeType[]];

export const CRITERIA_DECOMPOSER_NAMES = ['identity', 'llm'] as const;
/** `evidence`: nobody is asked for an opinion, what ran decides. */
export const GRADER_NAMES = ['heuristic', 'llm', 'evidence'] as const;

export const MAX_PROBES_PER_CRITERION = 5;
/** Below this confidence a person decides, where a rubric says nothing else. */
export const DEFAULT_MIN_GRADING_CONFIDENCE = 0.7;
