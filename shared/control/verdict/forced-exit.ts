import type { Verdict } from '../../contract/evidence/schema.ts';
import type { VerificationGateRecord } from '../../contract/run-record/verification-gate-record.ts';
import { orderReasons } from './order-reasons.ts';

/**
 * What it makes of a verdict how the agent was let go. Who was let go by force, or could not be looked at, is never verified, whatever
 * else was observed: the base asks for more than there was. That the gate was satisfied adds nothing, because it was seen in a box where
 * the agent could do anything.
 */
export function applyForcedExitToVerdict(
  verdict: Verdict,
  gate: VerificationGateRecord | undefined,
): Verdict {
  if (!gate || gate.state === 'satisfied') return verdict;
  const missing = gate.missing.length === 0 ? '' : `: ${gate.missing.join('; ')}`;
  return {
    ...verdict,
    verified: false,
    reasons: orderReasons([
      ...verdict.reasons,
      {
        code: `verification_gate_${gate.state}`,
        subject: 'verification_gate',
        message: `${gate.reason}${missing}`,
      },
    ]),
  };
}
