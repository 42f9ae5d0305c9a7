import type { VerdictReason } from '../../contract/evidence/schema.ts';

/** Stands for all codes that no suffix matches. */
const OTHERS = '';

/** Suffixes of codes: failures first, then doubts, then what may be advice only. */
const REASON_ORDER: readonly string[] = [
  'failed',
  'fail',
  'empty_patch',
  'infra_failed',
  'timed_out',
  'could_not_run',
  'put_back',
  OTHERS,
  'no_evidence',
  'not_demonstrated',
];

function rank({ code }: VerdictReason): number {
  // The last match, because `infra_failed` ends with `failed` too.
  const found = REASON_ORDER.findLastIndex((suffix) => suffix !== OTHERS && code.endsWith(suffix));
  return found === -1 ? REASON_ORDER.indexOf(OTHERS) : found;
}

/** Returns the reasons of a verdict in the order of their weight; those of one weight stay in their order. */
export const orderReasons = (reasons: readonly VerdictReason[]): VerdictReason[] =>
  reasons.toSorted((a, b) => rank(a) - rank(b));
