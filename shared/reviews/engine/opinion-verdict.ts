import { hasCheckResult } from '../../contract/check-outcome.ts';
import type { VerdictReason } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { AbsenceRule } from './reviewer.ts';

/** A judge that is less sure than this has not decided: a person does, whatever it said. */
export const MIN_JUDGE_CONFIDENCE = 0.7;

/** The verdict without an opinion, by rule. */
const WITHOUT: Readonly<Record<AbsenceRule, Judgement['verdict']>> = {
  hold: 'refer',
  block: 'fail',
  allow: 'pass',
  pass_with_finding: 'pass',
  abstain: 'pass',
};
export const verdictWithoutOpinion = (rule: AbsenceRule): Judgement['verdict'] => WITHOUT[rule];

/** Returns the verdict of an opinion. A confidence is the model's own word: it can only add doubt. */
export const verdictOfOpinion = (isGood: boolean, confidence: number | null): Judgement['verdict'] =>
  confidence !== null && confidence < MIN_JUDGE_CONFIDENCE ? 'refer' : isGood ? 'pass' : 'fail';

const codeOf = ({ outcome, verdict }: Judgement): string =>
  hasCheckResult(outcome) && verdict === 'refer' ? 'judge_unsure' : `judge_${outcome}`;

/** Why a judgement keeps work from being accepted; none where it does not. */
export const judgementReasons = (judgement: Judgement): VerdictReason[] =>
  judgement.verdict === 'pass'
    ? []
    : [
        {
          code: codeOf(judgement),
          subject: judgement.subject,
          message: `${judgement.subject}: ${judgement.reasons.join(' ')}`,
        },
      ];
