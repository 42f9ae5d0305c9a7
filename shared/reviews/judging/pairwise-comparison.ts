import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import type { ModelAnswer } from '../engine/ask-model-port.ts';

/** What is said of two things when the first is shown first, and when it is shown second. */
export type Preference = 'first' | 'second' | 'either';
export type OptionLetter = 'A' | 'B' | 'either';

interface PairwiseAnswer {
  readonly better: OptionLetter;
  readonly confidence: number;
  readonly reasons: readonly string[];
}

/** Both answers say the same, they do not, or one of them is missing. */
export type PairwiseComparison = ModelCallUsage &
  (
    | { readonly agreed: Preference; readonly confidence: number; readonly reasons: readonly string[] }
    | { readonly disagreed: readonly [Preference, Preference]; readonly reasons: readonly string[] }
    | Extract<ModelAnswer<never>, { readonly outcome: unknown }>
  );

const earliest = (...times: readonly (string | undefined)[]): Pick<ModelCallUsage, 'asked_at'> => {
  const [first] = times.filter((each) => each !== undefined).sort();
  return first === undefined ? {} : { asked_at: first };
};

const combineReceipts = (a: ModelCallUsage, b: ModelCallUsage): ModelCallUsage => ({
  calls: a.calls + b.calls,
  tokens:
    a.tokens && b.tokens
      ? { input: a.tokens.input + b.tokens.input, output: a.tokens.output + b.tokens.output }
      : // What one of them used is not known, so the sum is not.
        (a.calls > 0 && a.tokens === null) || (b.calls > 0 && b.tokens === null)
        ? null
        : (a.tokens ?? b.tokens),
  ms: Math.max(a.ms, b.ms),
  ...earliest(a.asked_at, b.asked_at),
});

const preferenceOf = (better: OptionLetter, isSwapped: boolean): Preference =>
  better === 'either' ? 'either' : (better === 'A') === isSwapped ? 'second' : 'first';

/**
 * Has two things compared in both orders. Models prefer a place; whose preference goes with the place has none. The confidence of an
 * agreement is that of the less sure answer.
 * @param ask puts the question with the things in this order; `isSwapped`: the second one is shown as A.
 */
export async function compareInBothOrders(
  ask: (isSwapped: boolean) => Promise<ModelAnswer<PairwiseAnswer>>,
): Promise<PairwiseComparison> {
  const [plain, swapped] = await Promise.all([ask(false), ask(true)]);
  const spent = combineReceipts(plain, swapped);
  for (const each of [plain, swapped])
    if ('outcome' in each) return { ...spent, outcome: each.outcome, why: each.why };
  if (!('value' in plain) || !('value' in swapped))
    throw new Error('an answer without a value or an outcome');
  const first = preferenceOf(plain.value.better, false);
  const second = preferenceOf(swapped.value.better, true);
  const reasons = [...plain.value.reasons, ...swapped.value.reasons];
  return first === second
    ? {
        ...spent,
        agreed: first,
        confidence: Math.min(plain.value.confidence, swapped.value.confidence),
        reasons,
      }
    : { ...spent, disagreed: [first, second], reasons };
}
