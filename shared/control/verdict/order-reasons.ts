import { isAdvice } from '../../contract/evidence/advice.ts';
import type { VerdictReason } from '../../contract/evidence/schema.ts';

/** Stands for all codes that no suffix matches. */
const OTHERS = '';

/** Suffixes of codes: failures first, then doubts. Advice comes after all of them. */
const REASON_ORDER: readonly string[] = [
  'failed',
  'fail',
  'empty_patch',
  'infra_failed',
  'timed_out',
  'could_not_run',
  'put_back',
  'not_demonstrated',
  OTHERS,
  'no_evidence',
];

function rank(reason: VerdictReason): number {
  if (isAdvice(reason)) return REASON_ORDER.length;
  const { code } = reason;
  // The last match, because `infra_failed` ends with `failed` too.
  const found = REASON_ORDER.findLastIndex((suffix) => suffix !== OTHERS && code.endsWith(suffix));
  return found === -1 ? REASON_ORDER.indexOf(OTHERS) : found;
}

/** Returns the reasons of a verdict in the order of their weight; those of one weight stay in their order. */
export const orderReasons = (reasons: readonly VerdictReason[]): VerdictReason[] =>
  reasons.toSorted((a, b) => rank(a) - rank(b));
