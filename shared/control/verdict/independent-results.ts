import {
  ACCEPTANCE_TESTS_GATE,
  CHALLENGE_GATE,
  COUNTEREXAMPLES_GATE,
} from '../../contract/evidence/gate-names.ts';
import type { Attempt } from '../../contract/task/attempt.ts';

type CheckedAttempt = Pick<Attempt, 'verification'>;
export type GateResult = NonNullable<CheckedAttempt['verification']>['gates'][number];

/** Gates whose tests were written without the author of the patch, in the order in which they are shown. */
const INDEPENDENT_GATES: readonly string[] = [ACCEPTANCE_TESTS_GATE, COUNTEREXAMPLES_GATE, CHALLENGE_GATE];

/** Returns the independent evidence of an attempt. It is shown before all other evidence. */
export const listIndependentResults = ({ verification }: CheckedAttempt): readonly GateResult[] =>
  INDEPENDENT_GATES.flatMap((name) => verification?.gates.filter((gate) => gate.name === name) ?? []);

/** Returns whether a gate is independent evidence. */
export const isIndependentGate = ({ name }: { readonly name: string }): boolean =>
  INDEPENDENT_GATES.includes(name);

/** Builds `acceptance tests failed: 7 of 8 requirements tested; 6 met; not met: all or nothing`. */
export const describeIndependentResult = ({
  name,
  outcome,
  detail,
}: Pick<GateResult, 'name' | 'outcome' | 'detail'>): string =>
  `${name.replaceAll('_', ' ')} ${outcome.replaceAll('_', ' ')}${detail === '' ? '' : `: ${detail}`}`;
