import { truncateText } from '../../lib/truncate.ts';

export const ASSUMPTION_VIOLATIONS = [
  'precondition_changed',
  'criteria_conflict',
  'dependency_failed',
] as const;
export type AssumptionViolation = (typeof ASSUMPTION_VIOLATIONS)[number];

/** Between two words of a phrase: nothing, or a verb that helps. A "not" is no such verb. */
const HAS = String.raw`\s+(?:(?:has|have|had|is|are|was|were|been)\s+){0,2}`;
const shape = (source: string): RegExp => new RegExp(source, 'iu');

const SHAPES: readonly (readonly [RegExp, AssumptionViolation])[] = [
  [shape(String.raw`\bpreconditions?${HAS}(?:changed|no\s+longer|violated)\b`), 'precondition_changed'],
  [
    shape(String.raw`\b(?:acceptance\s+)?criteria?${HAS}(?:in\s+)?(?:conflict|contradict)`),
    'criteria_conflict',
  ],
  [shape(String.raw`\bdependency${HAS}(?:failed|unavailable|broken)\b`), 'dependency_failed'],
  [shape(String.raw`\bstuck\s+because\s+\w+${HAS}changed\b`), 'precondition_changed'],
  [shape(String.raw`\b(?:cannot|can't|can’t)\s+proceed\s+(?:because|since|as)\b`), 'precondition_changed'],
];

/** What the words of an agent say of its assumptions: one for each shape that they have, with what matched. It is for a person, and nothing is held up by it. */
export const findAssumptionViolations = (
  text: string,
): { readonly type: AssumptionViolation; readonly evidence: string }[] =>
  SHAPES.flatMap(([of, type]) => {
    const found = of.exec(text)?.[0];
    return found === undefined ? [] : [{ type, evidence: truncateText(found, 200) }];
  });
