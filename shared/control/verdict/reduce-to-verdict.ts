import { type CheckOutcome, isConclusiveOutcome } from '../../contract/check-outcome.ts';
import { adviceCode } from '../../contract/evidence/advice.ts';
import { ALLOWED_FILES_GATE } from '../../contract/evidence/gate-names.ts';
import type {
  Evidence,
  GateEvidence,
  SignalEvidence,
  Verdict,
  VerdictReason,
} from '../../contract/evidence/schema.ts';
import { isRestoredProtectedFile } from '../../contract/submission/expected-changes.ts';
import { describeSignal } from '../../contract/submission/signals.ts';
import { truncateText } from '../../lib/truncate.ts';
import { verdictForMissingOpinion } from '../../reviews/engine/opinion-verdict.ts';
import { orderReasons } from './order-reasons.ts';

/** Outcomes of a check that was to run and could not: never a pass, and no fault of the patch that we know of. */
const OUTCOMES_WITHOUT_RESULT: readonly CheckOutcome[] = ['could_not_run', 'timed_out', 'infra_failed'];

/** Evidence of ours: the agent's own word, a model's opinion and what the author asks to be checked verify nothing. */
const isPlatformEvidence = (check: Pick<SignalEvidence, 'kind' | 'outcome' | 'by_author'>): boolean =>
  !check.by_author &&
  (check.kind === 'executed' || check.kind === 'checked') &&
  isConclusiveOutcome(check.outcome);

/**
 * Whether the result of a gate may verify the work. Where was worked verifies nothing, and acceptance tests do so only where they
 * decide and one of them failed on the base: tests that pass on every tree say nothing about the work.
 */
const canVerify = ({ name, independent, facts }: GateEvidence): boolean =>
  name !== ALLOWED_FILES_GATE &&
  (!independent || (independent.mode === 'gate' && facts['shows_change'] === true));

/** A gate whose result must stand for the work to be accepted. */
const isDecisiveGate = ({
  required,
  blocked,
}: {
  readonly required: boolean;
  readonly blocked: boolean;
}): boolean => required || blocked;

/** What a gate that could not run makes of the verdict; null: it ran. One that asks a model may say it in its configuration. */
const verdictWithoutResult = ({ outcome, on_error = 'hold' }: GateEvidence): Verdict['verdict'] | null =>
  OUTCOMES_WITHOUT_RESULT.includes(outcome) ? verdictForMissingOpinion(on_error) : null;

/**
 * The verdict that evidence allows, bound to the tree it was gathered on. Pure; the order of checks does not matter.
 * Anything failed: `fail`. Else anything that could not run, or was judged otherwise than it
 * will be delivered: `refer`. Else `pass`, which is `verified` only with
 * evidence of ours.
 */
export function deriveVerdictFromEvidence(evidence: Evidence): Verdict {
  const gates = evidence.gates.filter(isDecisiveGate);
  const failed = [
    ...evidence.signals.filter((signal) => signal.outcome === 'failed').map(signalReason),
    ...gates
      .filter((gate) => gate.outcome === 'failed' || verdictWithoutResult(gate) === 'fail')
      .map(gateReason),
  ];
  const unclear = [
    ...evidence.signals
      .filter((signal) => OUTCOMES_WITHOUT_RESULT.includes(signal.outcome))
      .map(signalReason),
    ...gates.filter((gate) => verdictWithoutResult(gate) === 'refer').map(gateReason),
    ...revertedFileReasons(evidence.protected_files),
    ...undemonstratedReasons(evidence, 'refer'),
  ];
  const advice = [
    ...undemonstratedReasons(evidence, 'advise'),
    ...unexecutedFileReasons(evidence.protected_files),
    ...untestedDependentReasons(evidence),
  ];
  const ours = {
    signals: evidence.signals.some(isPlatformEvidence),
    gates: evidence.gates.some((gate) => canVerify(gate) && isPlatformEvidence(gate)),
    tests:
      evidence.signals.some((signal) => signal.type === 'test_passes' && isPlatformEvidence(signal)) ||
      evidence.gates.some((gate) => gate.name === 'tests' && isPlatformEvidence(gate)),
  };
  const verified = ours.signals || ours.gates;
  // Something of ours must have passed for a patch that changes nothing to count as work that was done already.
  const emptyHanded =
    evidence.empty_patch &&
    ![...evidence.signals, ...evidence.gates.filter((gate) => !gate.independent)].some(
      (check) => isPlatformEvidence(check) && check.outcome === 'passed',
    );
  const without = emptyHanded ? [EMPTY_PATCH] : verified ? [] : [NO_EVIDENCE];
  return {
    verdict: failed.length > 0 || emptyHanded ? 'fail' : unclear.length > 0 ? 'refer' : 'pass',
    verified,
    reasons: orderReasons([...failed, ...unclear, ...without, ...advice].sort(byCodeAndSubject)),
    base_commit: evidence.base_commit,
    tree: evidence.tree,
    tests_run: ours.tests,
    quality_gates_run: ours.gates,
    completion_signals_checked: ours.signals,
  };
}

/** Most characters of a check's detail in a reason; the evidence has it whole. */
const REASON_DETAIL = 500;

function signalReason(signal: SignalEvidence): VerdictReason {
  const subject = describeSignal(signal.signal);
  return {
    code: `signal_${signal.outcome}`,
    subject,
    message: `${subject}: ${short(signal.detail)}`,
  };
}

export function gateReason(gate: GateEvidence): VerdictReason {
  return {
    code: `gate_${gate.outcome}`,
    subject: gate.name,
    message: `gate ${gate.name}: ${short(gate.detail)}`,
  };
}

/** Most files that the reason names; the evidence has them all. */
const NAMED_FILES = 10;

/** What is judged must be what is delivered: where the difference can matter, a reviewer decides. */
function revertedFileReasons(files: Evidence['protected_files']): VerdictReason[] {
  const found = files.filter((file) => isRestoredProtectedFile(file) && file.review_reason !== null);
  if (found.length === 0) return [];
  const why = found[0]?.review_reason;
  return [
    {
      code: 'protected_files_put_back',
      subject: null,
      message: `judged with the base's version of files that steer checks, and the patch changes them: ${listNames(found)}; ${truncateText(why ?? '', 200)}`,
    },
  ];
}

/** Names changed files that no check executes: their change was not judged, and decides nothing. */
function unexecutedFileReasons(files: Evidence['protected_files']): VerdictReason[] {
  const found = files.filter((file) => isRestoredProtectedFile(file) && file.review_reason === null);
  return found.length === 0
    ? []
    : [
        {
          code: adviceCode('protected_files_not_executed'),
          subject: null,
          message: `changed, and executed by no check: ${listNames(found)}`,
        },
      ];
}

/** Names packages whose tests the patch can affect, and that were too many to run. */
const untestedDependentReasons = ({ gates }: Evidence): VerdictReason[] =>
  gates.flatMap(({ name, facts }): VerdictReason[] => {
    const { untested_dependents: count, untested_dependents_named: names } = facts;
    return typeof count !== 'number' || count === 0
      ? []
      : [
          {
            code: adviceCode('dependents_not_tested'),
            subject: name,
            message: `packages that depend on the change and were not tested: ${count}: ${truncateText(String(names), 400)}`,
          },
        ];
  });

function listNames(files: Evidence['protected_files']): string {
  const names = files.slice(0, NAMED_FILES).map((file) => `${truncateText(file.path, 200)} (${file.kind})`);
  return `${names.join(', ')}${files.length > names.length ? ` and ${files.length - names.length} more` : ''}`;
}

/** Says that no test shows the change, where the policy of the repository is this one. */
const undemonstratedReasons = ({ gates }: Evidence, policy: 'advise' | 'refer'): VerdictReason[] =>
  gates
    .filter(
      ({ facts: metadata }) =>
        metadata['change_demonstrated'] === 'no' && metadata['change_demonstration'] === policy,
    )
    .map(({ name }) => ({
      code: policy === 'advise' ? adviceCode('change_not_demonstrated') : 'change_not_demonstrated',
      subject: name,
      message:
        'no test fails on the base and passes with the patch: nothing shows that behaviour has changed',
    }));

const EMPTY_PATCH: VerdictReason = {
  code: 'empty_patch',
  subject: null,
  message: 'nothing was changed, and nothing else shows that the work is done',
};
const NO_EVIDENCE: VerdictReason = {
  code: 'no_evidence',
  subject: null,
  message: 'no signal and no gate looked at this tree',
};

const short = (text: string): string =>
  text.length <= REASON_DETAIL ? text : `…${text.slice(-(REASON_DETAIL - 1))}`;

/** Makes the order independent of the order of the checks. */
const byCodeAndSubject = (a: VerdictReason, b: VerdictReason): number =>
  compare(a.code, b.code) || compare(a.subject ?? '', b.subject ?? '') || compare(a.message, b.message);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
