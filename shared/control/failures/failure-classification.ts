import type { FailureMode, FailureRecord } from '../../contract/failure/failure-record.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { truncateText } from '../../lib/truncate.ts';
import { classifyAttemptFailure } from './attempt-failure.ts';
import { CLASSIFIER_VERSION, classifyFailure } from './classify-failure.ts';
import { failureSignature } from './failure-signature.ts';

/** Characters of a rule that are kept: it quotes what it matched on. */
const KEPT_RULE = 200;

/** Of work that was judged and failed: with nothing in it, or not good enough. */
const failureModeOfWork = ({ artifact }: Pick<Attempt, 'artifact'>): FailureMode =>
  artifact?.patch_bytes === 0 ? 'hollow' : 'quality';

/** What is written down of an attempt that failed. */
export function buildFailureClassification(attempt: Attempt): FailureRecord {
  const how = baseClassification(attempt);
  return { ...how, ...failureSignature(attempt, how) };
}

function baseClassification(attempt: Attempt): FailureRecord {
  const failure =
    classifyAttemptFailure(attempt) ??
    (attempt.outcome === 'expired'
      ? classifyFailure({ code: 'lease_expired' })
      : attempt.outcome === 'infra_failed'
        ? classifyFailure({ code: 'box_lost' })
        : null);
  if (failure === null)
    return {
      class: null,
      code: 'verification_failed',
      rule: `verdict ${attempt.verdict?.verdict ?? 'missing'}`,
      retryable: null,
      mode: failureModeOfWork(attempt),
      version: CLASSIFIER_VERSION,
    };
  const { class: of, code, rule, retryable, mode, version } = failure;
  return { class: of, code, rule: truncateText(rule, KEPT_RULE), retryable, mode, version };
}
