import { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';

const FRONTEND_DESIGN: VerificationRubric = VerificationRubric.parse({
  name: 'frontend-design',
  criteria: [
    { name: 'design', description: 'How it looks and how it is laid out', weight: 0.25, grade_type: 'score' },
    {
      name: 'originality',
      description: 'It is made for this purpose, and could not be any other page',
      weight: 0.25,
      grade_type: 'score',
    },
    { name: 'craft', description: 'The code, and care in details', weight: 0.25, grade_type: 'score' },
    {
      name: 'functionality',
      description: 'It works, and all of it is there',
      weight: 0.25,
      grade_type: 'score',
    },
  ],
});

const DEFAULT_TASK: VerificationRubric = VerificationRubric.parse({
  name: 'default-task',
  criteria: [
    { name: 'correctness', description: 'It does what the task asks for', weight: 0.4, grade_type: 'score' },
    {
      name: 'completeness',
      description: 'Nothing that was asked for is missing',
      weight: 0.35,
      grade_type: 'score',
    },
    { name: 'probe-adherence', description: 'Every probe is satisfied', weight: 0.25, grade_type: 'binary' },
  ],
});

/** Rubrics that are there without a file. */
export const BUILTIN_RUBRICS: readonly VerificationRubric[] = [FRONTEND_DESIGN, DEFAULT_TASK];

export const findBuiltinRubric = (name: string): VerificationRubric | null =>
  BUILTIN_RUBRICS.find((each) => each.name === name) ?? null;
