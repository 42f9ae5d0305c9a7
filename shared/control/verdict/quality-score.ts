import * as z from 'zod';
import type { Attempt } from '../../contract/task/attempt.ts';

/** Weights of the seed; a gate that is not named has `OTHER`. */
const WEIGHTS: Readonly<Record<string, number>> = {
  lint: 0.15,
  type_check: 0.15,
  tests: 0.25,
  security_scan: 0.1,
  coverage_delta: 0.15,
  complexity_check: 0.05,
  dead_code: 0.05,
  import_cycle: 0.05,
  pii_scan: 0.05,
};
const DEFAULT_WEIGHT = 0.05;

/** Least score of each grade. */
const GRADES = [
  ['A', 90],
  ['B', 80],
  ['C', 70],
  ['D', 60],
  ['F', 0],
] as const;

export const QUALITY_SCORE_FORMULA =
  'round(Σ weight · points / Σ weight) over the gates that ran: 100 for passed, 50 for failed where it is not required, 0 for failed where it is, and 0 for left out on purpose';

export const QualityScore = z
  .object({
    total: z.number().int().min(0).max(100),
    grade: z.enum(['A', 'B', 'C', 'D', 'F']),
    formula: z.string(),
    gates: z.array(z.object({ name: z.string(), weight: z.number(), points: z.number() })),
    unknown: z
      .array(z.string())
      .describe('Gates that could not run: they count neither for nor against the work.'),
  })
  .meta({ id: 'QualityScore' });
export type QualityScore = z.infer<typeof QualityScore>;

type Gate = NonNullable<Attempt['verification']>['gates'][number];

const weightOf = (gate: string): number =>
  (Object.hasOwn(WEIGHTS, gate) ? WEIGHTS[gate] : undefined) ?? DEFAULT_WEIGHT;

/** Null: there is no result to count. */
function pointsOf({ outcome, blocked }: Pick<Gate, 'outcome' | 'blocked'>): number | null {
  if (outcome === 'passed') return 100;
  if (outcome === 'failed') return blocked ? 0 : 50;
  // Whoever leaves a gate out gets no better score by it.
  return outcome === 'bypassed' ? 0 : null;
}

/**
 * A figure for people who compare; it decides nothing. Opinions of models are no part of it, and gates that could not run are named.
 * Null where no gate has a result.
 */
export function computeQualityScore({ verification }: Pick<Attempt, 'verification'>): QualityScore | null {
  const gates = (verification?.gates ?? []).filter(({ kind }) => kind !== 'judged');
  const counted = gates.flatMap((gate) => {
    const points = pointsOf(gate);
    return points === null ? [] : [{ name: gate.name, weight: weightOf(gate.name), points }];
  });
  const weights = counted.reduce((sum, { weight }) => sum + weight, 0);
  if (weights === 0) return null;
  const total = Math.round(counted.reduce((sum, { weight, points }) => sum + weight * points, 0) / weights);
  return {
    total,
    grade: GRADES.find(([, least]) => total >= least)?.[0] ?? 'F',
    formula: QUALITY_SCORE_FORMULA,
    gates: counted,
    unknown: gates
      .filter(
        ({ outcome }) => outcome === 'could_not_run' || outcome === 'timed_out' || outcome === 'infra_failed',
      )
      .map(({ name }) => name),
  };
}
