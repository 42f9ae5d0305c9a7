import type { Judgement } from '../../contract/judgement/judgement.ts';
import { sumUnlessUnknown } from '../../contract/task/judging-cost.ts';
import type { ModelCallReceipt, ReviewerReply } from './engine.ts';

/** The preferred one of two things, whichever order they were shown in. */
export type PairwisePreference = 'first' | 'second' | 'either';
export type PairwiseOptionLetter = 'A' | 'B' | 'either';

interface PairwiseAnswer {
  readonly answer: PairwiseOptionLetter;
  readonly confidence: number;
  readonly reasons: readonly string[];
}

/** Both answers say the same, or they do not. */
export type PairwiseComparison =
  | { readonly agreed: PairwisePreference; readonly confidence: number; readonly reasons: readonly string[] }
  | {
      readonly disagreed: readonly [PairwisePreference, PairwisePreference];
      readonly reasons: readonly string[];
    };

/** The sum of tokens; null: what one call used is unknown. */
const sumTokens = (receipts: readonly ModelCallReceipt[]): Judgement['tokens'] => {
  const used = receipts.filter(({ calls }) => calls !== 0).map(({ tokens }) => tokens);
  return used.length === 0 || used.includes(null)
    ? null
    : {
        input: used.reduce((sum, each) => sum + (each?.input ?? 0), 0),
        output: used.reduce((sum, each) => sum + (each?.output ?? 0), 0),
      };
};

/** The receipt of several calls: to one model at the same time. */
export function combineModelCallReceipts(
  first: ModelCallReceipt,
  ...others: readonly ModelCallReceipt[]
): ModelCallReceipt {
  const all = [first, ...others];
  const [asked_at] = all.flatMap((each) => each.asked_at ?? []).sort();
  return {
    ...first,
    calls: sumUnlessUnknown(all.map(({ calls }) => calls)),
    tokens: sumTokens(all),
    cost_usd: sumUnlessUnknown(all.map(({ calls, cost_usd }) => (calls === 0 ? 0 : cost_usd))),
    duration_ms: Math.max(...all.map(({ duration_ms }) => duration_ms)),
    ...(asked_at !== undefined && { asked_at }),
  };
}

const preferenceOf = (better: PairwiseOptionLetter, isSwapped: boolean): PairwisePreference =>
  better === 'either' ? 'either' : (better === 'A') === isSwapped ? 'second' : 'first';

/**
 * Compares two things in both orders. Models prefer a position; a preference that follows the position is none. The
 * confidence of an agreement is that of the less sure answer.
 * @param askAbout puts the question with the things in this order; `isSwapped`: the second one is shown as A.
 */
export async function comparePairInBothOrders(
  askAbout: (isSwapped: boolean) => Promise<ReviewerReply<PairwiseAnswer>>,
): Promise<ReviewerReply<PairwiseComparison>> {
  const [plain, swapped] = await Promise.all([askAbout(false), askAbout(true)]);
  const common = {
    receipt: combineModelCallReceipts(plain.receipt, swapped.receipt),
    injections: [...new Set([...plain.injections, ...swapped.injections])],
  };
  if ('absence' in plain) return { ...common, absence: plain.absence };
  if ('absence' in swapped) return { ...common, absence: swapped.absence };
  const first = preferenceOf(plain.answer.answer, false);
  const second = preferenceOf(swapped.answer.answer, true);
  const reasons = [...plain.answer.reasons, ...swapped.answer.reasons];
  const confidence = Math.min(plain.answer.confidence, swapped.answer.confidence);
  return {
    ...common,
    answer:
      first === second ? { agreed: first, confidence, reasons } : { disagreed: [first, second], reasons },
  };
}
