import { CHALLENGE_GATE } from '../../contract/evidence/gate-names.ts';
import type { ChallengeOutcome, ExamMode } from '../../contract/evidence/independent.ts';
import type { GateEvidence } from '../../contract/evidence/schema.ts';

/** Builds the entry of a challenge that gave no answer. Nothing shows that the challenger found nothing. */
export const buildMissingChallengeEvidence = (
  outcome: ChallengeOutcome,
  why: string,
  mode: ExamMode,
): GateEvidence => ({
  name: CHALLENGE_GATE,
  outcome: 'could_not_run',
  kind: 'judged',
  required: mode === 'gate',
  blocked: false,
  cached: false,
  findings: [],
  detail: `${outcome.replaceAll('_', ' ')}: ${why}`,
  duration_ms: 0,
  facts: { challenge: outcome, counterexamples: 0, counterexamples_held: 0 },
  independent: {
    mode,
    points: [],
    counterexamples: [],
    open: [],
    questions: [],
    requirements: { total: 0, tested: 0, met: 0, not_met: [] },
    challenge: { outcome, p_wrong: null, requirements: [] },
  },
});
