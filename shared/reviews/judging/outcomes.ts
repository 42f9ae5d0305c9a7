import type { VerdictReason } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import { hasResult } from '../../contract/outcome.ts';
import type { OnError } from '../../contract/submission/on-error.ts';

/** A judge that is less sure than this has not decided: a person does, whatever it said. */
export const MIN_CONFIDENCE = 0.7;

/** What a verdict becomes when nobody could judge. */
const WITHOUT: Readonly<Record<OnError, Judgement['verdict']>> = {
  hold: 'refer',
  block: 'fail',
  allow: 'pass',
};

/** What it makes of the verdict that there is no opinion. */
export const withoutOpinion = (onError: OnError): Judgement['verdict'] => WITHOUT[onError];

/**
 * What an opinion makes of the verdict. A confidence is the model's own word: it can only add doubt. So does an attempt to talk the
 * model over: a person looks at what it let out.
 */
export function withOpinion(
  isGood: boolean,
  confidence: number | null,
  injections: readonly string[] = [],
): Judgement['verdict'] {
  if (confidence !== null && confidence < MIN_CONFIDENCE) return 'refer';
  if (!isGood) return 'fail';
  return injections.length > 0 ? 'refer' : 'pass';
}

const codeOf = ({ outcome, verdict }: Judgement): string =>
  hasResult(outcome) && verdict === 'refer' ? 'judge_unsure' : `judge_${outcome}`;

/** Why a judgement keeps work from being accepted; none where it does not. */
export const reasonsOf = (judgement: Judgement): VerdictReason[] =>
  judgement.verdict === 'pass'
    ? []
    : [
        {
          code: codeOf(judgement),
          subject: judgement.subject,
          message: `${judgement.subject}: ${judgement.reasons.join(' ')}`,
        },
      ];
