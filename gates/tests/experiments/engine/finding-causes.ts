import type { CheckOutcome } from '../../../../shared/contract/check-outcome.ts';
import { toDisplayPath } from '../../../../workspace/git/path-encoding.ts';

/** Why a base test that fails on the new code needs review. */
export type BaseTestFailureReason =
  /** The patch removes the test, and nothing replaces it. */
  | { readonly code: 'test_removed' }
  /** It failed on the base, and passes only in the version of the patch. */
  | { readonly code: 'failed_on_base' }
  /** The patch's version has fewer assertions, vaguer ones, or is skipped. */
  | { readonly code: 'reads_weaker'; readonly message: string }
  /** The patch's version passes on the old code too. `mayBeRewritten`: it uses the same values, and does not read as if it asked less. */
  | { readonly code: 'passes_on_old_code'; readonly tree: string; readonly mayBeRewritten: boolean }
  /** Undoing one hunk makes it pass again, and no test of the patch notices that. */
  | { readonly code: 'hunk_not_tested'; readonly path: string; readonly line: number }
  /** It fails because of single values, which no test of the patch covers. */
  | { readonly code: 'values_not_tested' }
  /** The test in its place tests other values. */
  | { readonly code: 'replaced_by_other_values'; readonly replacement: string };

/** Why evidence that decides is missing. */
export type MissingEvidenceReason =
  /** Its runs took longer than they may. */
  | { readonly code: 'no_time_left'; readonly limitMs: number }
  /** A run neither passed nor failed. */
  | { readonly code: 'run_incomplete'; readonly outcome: CheckOutcome; readonly detail: string }
  /** The base could not be run. */
  | { readonly code: 'base_incomplete'; readonly outcome: CheckOutcome; readonly detail: string }
  /** The base names its tests, and the run with the patch names none; `problem`: what is wrong with its report, where it left one. */
  | { readonly code: 'no_tests_named'; readonly baseTests: number; readonly problem: string | null };

/** Lines that only one version of a test has. */
export interface ChangedTestLines {
  readonly before: string;
  readonly now: string;
}

/** What a finding says besides its test and place, as data. */
export type FindingCause =
  | { readonly rule: 'run_test_lost' | 'run_test_skipped' }
  | { readonly rule: 'run_test_gone_with_subject'; readonly subject: string }
  | {
      readonly rule: 'run_comparison_missing';
      /** Id of the required experiment. */
      readonly experiment: string;
      readonly reason: MissingEvidenceReason;
    }
  | { readonly rule: 'run_old_test_not_loaded' }
  | {
      readonly rule: 'run_old_test_fails';
      readonly reason: BaseTestFailureReason;
      readonly changed: ChangedTestLines | null;
    }
  | { readonly rule: 'run_expectation_changed'; readonly changed: ChangedTestLines | null }
  | {
      readonly rule: 'run_old_test_fails' | 'run_expectation_changed';
      /** No report names the tests that fail. */
      readonly unnamed: { readonly exitCode: number | null; readonly isWeakened: boolean };
    }
  | { readonly rule: 'run_depends_on_surroundings' }
  | { readonly rule: 'run_code_not_executed' }
  | {
      readonly rule: 'run_mutant_survives';
      readonly mutant: string;
      /** Set where too many survive. */
      readonly tooMany: { readonly survived: number; readonly tried: number } | null;
    }
  | {
      readonly rule: 'run_tests_weakened';
      readonly mutant: string;
      readonly tests: readonly string[];
      readonly lost: number;
      readonly noticed: number;
    }
  | {
      readonly rule: 'run_test_asks_nothing';
      readonly passes: 'stubbed' | 'stubbed_and_on_old_code' | 'stubbed_and_failing';
      /** The base version, or the base test that it replaced, which fails there. */
      readonly noticedBefore: 'itself' | { readonly replaced: string } | null;
    }
  | { readonly rule: 'run_failure_thrown_away' }
  | {
      readonly rule: 'run_test_asks_less';
      readonly mutation: string;
      /** The code on which the base version notices it. */
      readonly noticedOn: 'new_code' | 'old_code';
      /** The test in its place; null: the test itself. */
      readonly replacement: string | null;
    }
  | { readonly rule: 'run_answers_learnt' | 'run_failure_hidden'; readonly function: string };

/** Renders what a finding says. The only place with sentences: no decision reads them. */
export function renderFindingCause(cause: FindingCause): string {
  switch (cause.rule) {
    case 'run_test_lost':
      return 'passes on the base, does not run with the patch, and no other test replaces it';
    case 'run_test_skipped':
      return 'passes on the base, is skipped with the patch, and no other test replaces it';
    case 'run_test_gone_with_subject':
      return `passes on the base, and is removed together with ${cause.subject}, which it tests`;
    case 'run_comparison_missing':
      return `${cause.experiment.replaceAll('_', ' ')}: ${renderMissingEvidence(cause.reason)}`;
    case 'run_old_test_not_loaded':
      return 'the base version of this test file cannot be loaded with the new code';
    case 'run_old_test_fails':
    case 'run_expectation_changed':
      return renderBaseFailure(cause);
    case 'run_depends_on_surroundings':
      return 'fails in another environment (time zone, locale, host, no CI), and passes in the usual one';
    case 'run_code_not_executed':
      return 'all tests pass although every function of the patched tree fails: they run other code, such as a built copy or an installed package, so they say nothing about the patch. Build the project in environment.build, or let the tests load its sources';
    case 'run_mutant_survives':
      return `${cause.mutant}, and no test notices${
        cause.tooMany
          ? `; ${cause.tooMany.survived} of ${cause.tooMany.tried} mutants of the added lines survive`
          : ''
      }`;
    case 'run_tests_weakened':
      return `the base version of ${cause.tests.join(', ')} notices when ${cause.mutant}, and no test of the patch does; ${cause.lost} of the ${cause.noticed} mutants that one test noticed survive now`;
    case 'run_test_asks_nothing':
      return renderVacuousTest(cause);
    case 'run_failure_thrown_away':
      return 'checks what the code answers, and passes all the same where the code fails instead';
    case 'run_test_asks_less':
      return renderLessSensitive(cause);
    case 'run_answers_learnt':
      return `${cause.function}: answers the values that the tests use, and for all values beside them what it answered before, or one answer for all`;
    case 'run_failure_hidden':
      return `${cause.function}: failed on the base for invalid values, now gives one answer for all of them, and no test expects that`;
  }
}

function renderMissingEvidence(reason: MissingEvidenceReason): string {
  switch (reason.code) {
    case 'no_time_left':
      return `the comparison with the base did not end within ${Math.round(reason.limitMs / 1_000)} s`;
    case 'run_incomplete':
      return `the comparison with the base could not be made (${reason.outcome}): ${reason.detail}`;
    case 'base_incomplete':
      return `the base's tests could not be run (${reason.outcome}): ${reason.detail}`;
    case 'no_tests_named':
      return `the run ended well and names no test, and on the base it names ${reason.baseTests}${reason.problem === null ? '' : `: ${reason.problem}`}`;
  }
}

type BaseFailureCause = Extract<FindingCause, { rule: 'run_old_test_fails' | 'run_expectation_changed' }>;

function renderBaseFailure(cause: BaseFailureCause): string {
  if ('unnamed' in cause)
    return `the base version of these tests fails on the new code (exit ${cause.unnamed.exitCode ?? '-'}; no report names tests)${cause.unnamed.isWeakened ? ', and the patch deletes or weakens them' : ''}`;
  const reason = 'reason' in cause ? renderReason(cause.reason) : '';
  const { changed } = cause;
  const expectation = changed
    ? `; before: ${toDisplayPath(changed.before) || '-'}; now: ${toDisplayPath(changed.now) || '-'}`
    : '';
  return `its base version fails on the new code${reason}${expectation}`;
}

function renderReason(reason: BaseTestFailureReason): string {
  switch (reason.code) {
    case 'test_removed':
      return ', and the patch removes it';
    case 'failed_on_base':
      return '. It failed on the base too, and only the version of the patch passes';
    case 'reads_weaker':
      return `, and now ${reason.message}`;
    case 'passes_on_old_code':
      return ", and the patch's version passes on the old code too: it no longer tells old code from new";
    case 'hunk_not_tested':
      return `. It passes again without the change at ${reason.path}:${reason.line}, and no test of the patch fails without that change`;
    case 'values_not_tested':
      return ', and no test of the patch covers the values whose answers have changed';
    case 'replaced_by_other_values':
      return `, and its replacement "${reason.replacement}" tests other values`;
  }
}

function renderVacuousTest({
  passes,
  noticedBefore,
}: Extract<FindingCause, { rule: 'run_test_asks_nothing' }>): string {
  const when = {
    stubbed: 'passes where every function of the project returns nothing',
    stubbed_and_on_old_code:
      'passes without the patch, and where every function of the project returns nothing',
    stubbed_and_failing: 'passes where no function of the project works',
  }[passes];
  if (noticedBefore === null) return when;
  return noticedBefore === 'itself'
    ? `${when}, and its base version does not`
    : `${when}, and "${noticedBefore.replaced}", which it replaced, does not`;
}

function renderLessSensitive({
  mutation,
  noticedOn,
  replacement,
}: Extract<FindingCause, { rule: 'run_test_asks_less' }>): string {
  const now = replacement === null ? 'the version of the patch' : `"${replacement}", which replaced it,`;
  return `its base version fails ${noticedOn === 'old_code' ? 'on the old code ' : ''}when ${mutation}, and ${now} does not`;
}
