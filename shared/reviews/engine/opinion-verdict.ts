import { isConclusiveOutcome } from '../../contract/check-outcome.ts';
import type { VerdictReason } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { MissingOpinionRule } from './reviewer.ts';

/** A judge that is less sure than this has not decided: a person does, whatever it said. */
export const MIN_JUDGE_CONFIDENCE = 0.7;

/** The verdict without an opinion, by rule. */
const WITHOUT: Readonly<Record<MissingOpinionRule, Judgement['verdict']>> = {
  hold: 'refer',
  block: 'fail',
  allow: 'pass',
  pass_with_finding: 'pass',
  abstain: 'pass',
};
export const verdictForMissingOpinion = (rule: MissingOpinionRule): Judgement['verdict'] => WITHOUT[rule];

/** Returns the verdict of an opinion. A confidence is the model's own word: it can only add doubt. */
export const deriveOpinionVerdict = (isGood: boolean, confidence: number | null): Judgement['verdict'] =>
  confidence !== null && confidence < MIN_JUDGE_CONFIDENCE ? 'refer' : isGood ? 'pass' : 'fail';

const codeOf = ({ outcome, verdict }: Judgement): string =>
  isConclusiveOutcome(outcome) && verdict === 'refer' ? 'judge_unsure' : `judge_${outcome}`;

/** Says that nothing is known of how reliable the model is with this prompt; empty where it is known, or no model was asked. */
export const describeUncalibratedJudge = ({
  model,
  calibration,
}: Pick<Judgement, 'model' | 'calibration'>): string =>
  model === null || calibration !== null ? '' : ` (uncalibrated judge: ${model})`;

/** Why a judgement keeps work from being accepted; none where it does not. */
export const listJudgementVerdictReasons = (judgement: Judgement): VerdictReason[] =>
  judgement.verdict === 'pass'
    ? []
    : [
        {
          code: codeOf(judgement),
          subject: judgement.subject,
          message: `${judgement.subject}: ${judgement.reasons.join(' ')}${describeUncalibratedJudge(judgement)}`,
        },
      ];
