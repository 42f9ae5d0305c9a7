import type { Spent } from '../../contract/judgement/judgement.ts';
import type { Answered } from './port.ts';

/** What is said of two things when the first is shown first, and when it is shown second. */
export type Preferred = 'first' | 'second' | 'either';
export type Letter = 'A' | 'B' | 'either';

interface Opinion {
  readonly better: Letter;
  readonly confidence: number;
  readonly reasons: readonly string[];
}

/** Both answers say the same, they do not, or one of them is missing. */
export type Compared = Spent &
  (
    | { readonly agreed: Preferred; readonly confidence: number; readonly reasons: readonly string[] }
    | { readonly disagreed: readonly [Preferred, Preferred]; readonly reasons: readonly string[] }
    | Extract<Answered<never>, { readonly outcome: unknown }>
  );

const earliest = (...times: readonly (string | undefined)[]): Pick<Spent, 'asked_at'> => {
  const [first] = times.filter((each) => each !== undefined).sort();
  return first === undefined ? {} : { asked_at: first };
};

const together = (a: Spent, b: Spent): Spent => ({
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

const meant = (better: Letter, isSwapped: boolean): Preferred =>
  better === 'either' ? 'either' : (better === 'A') === isSwapped ? 'second' : 'first';

/**
 * Has two things compared in both orders. Models prefer a place; whose preference goes with the place has none. The confidence of an
 * agreement is that of the less sure answer.
 * @param ask puts the question with the things in this order; `isSwapped`: the second one is shown as A.
 */
export async function inBothOrders(
  ask: (isSwapped: boolean) => Promise<Answered<Opinion>>,
): Promise<Compared> {
  const [plain, swapped] = await Promise.all([ask(false), ask(true)]);
  const spent = together(plain, swapped);
  for (const each of [plain, swapped])
    if ('outcome' in each) return { ...spent, outcome: each.outcome, why: each.why };
  if (!('value' in plain) || !('value' in swapped))
    throw new Error('an answer without a value or an outcome');
  const first = meant(plain.value.better, false);
  const second = meant(swapped.value.better, true);
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
