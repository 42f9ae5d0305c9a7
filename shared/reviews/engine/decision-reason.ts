/** Reason to ask for no opinion: it could change nothing. */
export type SkipReason =
  | {
      readonly code:
        | 'failed_already'
        | 'needs_review_already'
        | 'plan'
        | 'empty_patch'
        | 'hidden_tests'
        | 'decided_before'
        | 'graded_down'
        | 'red_team_failed';
    }
  | { readonly code: 'stopped_at_node'; readonly node: string };

/** Reason to ask no model about a task any more. */
export type JudgingRefusal =
  | { readonly code: 'judgings_used'; readonly count: number; readonly limit: number }
  | { readonly code: 'over_budget'; readonly why: string };

/** Reason to let a reviewer decide in place of another attempt. */
export type OpinionFixRefusal = {
  readonly code: 'opinion_fixes_used';
  readonly rejected: number;
  readonly limit: number;
};

/** Reason why the red team has nothing to attack. */
export type MissingDeliverableReason = { readonly code: 'no_deliverable' | 'no_criteria_to_attack_by' };

/** Reason why no picture is reviewed. */
export type MissingPictures =
  | { readonly code: 'gate_not_run' | 'no_criteria_for_pictures' | 'verifier_noop' }
  | { readonly code: 'gate_without_pictures'; readonly outcome: string; readonly detail: string };

/** Reason to reject work before a model is asked. */
export type PreflightRejection =
  | { readonly code: 'targets_untouched'; readonly targets: readonly string[] }
  | { readonly code: 'no_tool_used' | 'no_file_written' };

export type ReviewDecisionReason =
  | SkipReason
  | JudgingRefusal
  | OpinionFixRefusal
  | MissingDeliverableReason
  | MissingPictures
  | PreflightRejection;

const TEXTS = {
  failed_already: 'not asked: what was observed has failed already, and no opinion mends that',
  needs_review_already: 'not asked: a person is asked already',
  plan: 'not asked: a plan is looked at by a person',
  empty_patch: 'not asked: the patch changes nothing',
  hidden_tests: 'not asked: hidden tests have run, and no rule has noted anything',
  decided_before: 'not asked: it was decided before',
  graded_down: 'not asked: the work was graded down',
  red_team_failed: 'not asked: the red team has sent the work back',
  no_deliverable: 'no deliverable could be fetched: the patch is empty',
  no_criteria_to_attack_by:
    'no deliverable could be fetched: the task has no acceptance criteria to attack it by',
  gate_not_run: 'there are no pictures to look at: the gate screenshots has not run',
  no_criteria_for_pictures: 'the task has no acceptance criteria to judge pictures by',
  verifier_noop: 'not asked: the verifier noop looks at nothing',
  no_tool_used: 'the agent has used no tool, so it has done nothing',
  no_file_written: 'the task asks for something to be written, and no file was',
} as const;

/** Returns the text of a reason: the one renderer. */
export function describeReviewDecisionReason(reason: ReviewDecisionReason): string {
  switch (reason.code) {
    case 'stopped_at_node':
      return `not asked: the work did not come past ${reason.node}`;
    case 'judgings_used':
      return `models have judged this task ${reason.count} times, and ${reason.limit} are the budget of a task: a person decides`;
    case 'over_budget':
      return reason.why;
    case 'opinion_fixes_used':
      return `${reason.rejected} attempts were rejected by models alone, and ${reason.limit} may mend that`;
    case 'gate_without_pictures':
      return `there are no pictures to look at: the gate screenshots is ${reason.outcome} (${reason.detail.slice(0, 300)})`;
    case 'targets_untouched':
      return `none of the files that the task names was changed or made: ${reason.targets.slice(0, 5).join(', ')}`;
    default:
      return TEXTS[reason.code];
  }
}
