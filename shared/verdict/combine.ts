import type { Verdict } from '../evidence/schema.ts';

const SEVERITY: Record<Verdict['verdict'], number> = { pass: 0, refer: 1, fail: 2 };

/**
 * Joins verdicts on one tree: the most severe counts, all reasons are kept. Only the first, which comes from evidence of ours, says
 * whether the work is verified: opinions add doubt, never proof.
 */
export function combine(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts;
  if (!first) throw new Error('no verdict to combine');
  for (const other of others)
    if (other.tree !== first.tree)
      throw new Error(`verdicts on different trees: ${first.tree}, ${other.tree}`);
  const worst = verdicts.reduce((a, b) => (SEVERITY[b.verdict] > SEVERITY[a.verdict] ? b : a), first);
  return { ...first, verdict: worst.verdict, reasons: verdicts.flatMap((each) => each.reasons) };
}
