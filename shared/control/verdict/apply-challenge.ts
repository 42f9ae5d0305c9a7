import { CHALLENGE_GATE } from '../../contract/evidence/gate-names.ts';
import type { GateEvidence, Verdict } from '../../contract/evidence/schema.ts';
import type { AttemptChallenge } from '../../contract/task/attempt.ts';
import { mostSevereVerdict } from './join-judgements.ts';
import { orderReasons } from './order-reasons.ts';
import { gateReason } from './reduce-to-verdict.ts';

/** Returns what the entry of a challenge makes of a verdict. It can only weaken one, and decides only in the mode `gate`. */
export function decideChallengeEffect(
  entry: GateEvidence,
  { mode, refer_above }: Pick<AttemptChallenge, 'mode' | 'refer_above'>,
): NonNullable<AttemptChallenge['effect']> {
  const none = { verdict: 'pass', reason: null } as const;
  if (mode !== 'gate') return none;
  if (entry.outcome === 'failed') return { verdict: 'fail', reason: gateReason(entry) };
  if (entry.outcome !== 'skipped') return { verdict: 'refer', reason: gateReason(entry) };
  const summary = entry.independent?.challenge;
  // An entry that does not say that the challenger answered shows nothing.
  if (summary?.outcome !== 'nothing_found' || summary.p_wrong === null)
    return { verdict: 'refer', reason: gateReason(entry) };
  const p = summary.p_wrong;
  if (p < refer_above) return none;
  const message = `gate ${CHALLENGE_GATE}: no counterexample holds, and the challenger gives ${p} as the probability that the patch is wrong`;
  return { verdict: 'refer', reason: { code: 'challenger_doubts', subject: CHALLENGE_GATE, message } };
}

/** Joins a verdict with the effect of a challenge. */
export const applyChallengeEffect = (verdict: Verdict, effect: AttemptChallenge['effect']): Verdict =>
  effect === null || effect.reason === null
    ? verdict
    : {
        ...verdict,
        verdict: mostSevereVerdict([verdict.verdict, effect.verdict]),
        reasons: orderReasons([effect.reason, ...verdict.reasons]),
      };
