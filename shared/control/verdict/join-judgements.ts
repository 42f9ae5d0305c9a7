import type { Verdict } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import { judgementCost, sumUnlessUnknown } from '../../contract/task/judging-cost.ts';
import { listJudgementVerdictReasons } from '../../reviews/engine/opinion-verdict.ts';
import { orderReasons } from './order-reasons.ts';

const SEVERITY: Record<Verdict['verdict'], number> = { pass: 0, refer: 1, fail: 2 };

export const mostSevereVerdict = (words: readonly Verdict['verdict'][]): Verdict['verdict'] =>
  words.reduce<Verdict['verdict']>((a, b) => (SEVERITY[b] > SEVERITY[a] ? b : a), 'pass');

/**
 * Joins the verdict that evidence allows with what models said of the same tree: the most severe counts, all reasons are kept. Only
 * evidence of ours says whether the work is verified: opinions add doubt, never proof.
 */
export function joinVerdictWithJudgements(observed: Verdict, judgements: readonly Judgement[]): Verdict {
  if (judgements.length === 0) return observed;
  const verdict = mostSevereVerdict([observed.verdict, ...judgements.map((each) => each.verdict)]);
  const reasons = orderReasons([...observed.reasons, ...judgements.flatMap(listJudgementVerdictReasons)]);
  const cost = sumUnlessUnknown(judgements.map(judgementCost));
  return { ...observed, verdict, reasons, judgements: [...judgements], judging_cost_usd: cost };
}
