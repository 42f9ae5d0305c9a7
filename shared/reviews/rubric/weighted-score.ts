import { GRADE_TYPES } from '../../contract/rubric/rubric-kinds.ts';
import type { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';

type Grades = Readonly<Record<string, number>>;

/** Σ weight · grade; null where a criterion has no grade. */
export function computeWeightedRubricScore(
  { criteria }: Pick<VerificationRubric, 'criteria'>,
  grades: Grades,
): number | null {
  let sum = 0;
  for (const { name, weight } of criteria) {
    const grade = grades[name];
    if (grade === undefined) return null;
    sum += weight * grade;
  }
  return Math.min(1, Math.max(0, sum));
}

/** Grades that their type does not have: told, and counted as they are. */
export const unexpectedGradeMessages = (
  { criteria }: Pick<VerificationRubric, 'criteria'>,
  grades: Grades,
): string[] =>
  criteria.flatMap(({ name, grade_type }) => {
    const grade = grades[name];
    const values: readonly number[] | null = GRADE_TYPES[grade_type].values;
    return grade === undefined || values === null || values.includes(grade)
      ? []
      : [`${name} is ${grade_type}, and was given ${grade}`];
  });
