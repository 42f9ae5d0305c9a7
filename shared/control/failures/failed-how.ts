import type { FailedHow, FailureMode } from '../../contract/failure/failed-how.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { firstOf } from '../../lib/cut.ts';
import { CLASSIFIER_VERSION, classify } from './classify.ts';
import { fingerprintOf } from './fingerprint.ts';
import { failureOf } from './of-attempt.ts';

/** Characters of a rule that are kept: it quotes what it matched on. */
const KEPT_RULE = 200;

/** Of work that was judged and failed: with nothing in it, or not good enough. */
const modeOfWork = ({ artifact }: Pick<Attempt, 'artifact'>): FailureMode =>
  artifact?.patch_bytes === 0 ? 'hollow' : 'quality';

/** What is written down of an attempt that failed. */
export function failedHow(attempt: Attempt): FailedHow {
  const how = told(attempt);
  return { ...how, ...fingerprintOf(attempt, how) };
}

function told(attempt: Attempt): FailedHow {
  const failure =
    failureOf(attempt) ??
    (attempt.outcome === 'expired'
      ? classify({ code: 'lease_expired' })
      : attempt.outcome === 'infra_failed'
        ? classify({ code: 'box_lost' })
        : null);
  if (failure === null)
    return {
      class: null,
      code: 'verification_failed',
      rule: `verdict ${attempt.verdict?.verdict ?? 'missing'}`,
      retryable: null,
      mode: modeOfWork(attempt),
      version: CLASSIFIER_VERSION,
    };
  const { class: of, code, rule, retryable, mode, version } = failure;
  return { class: of, code, rule: firstOf(rule, KEPT_RULE), retryable, mode, version };
}
