/** Why an opinion is not asked for: it could change nothing. */
export type SkipReason =
  | { readonly code: 'failed_already' | 'needs_review_already' | 'plan' | 'empty_patch' | 'hidden_tests' }
  | { readonly code: 'decided_before' | 'graded_down' | 'red_team_failed' }
  | { readonly code: 'stopped_at_node'; readonly node: string };

const TEXTS = {
  failed_already: 'what was observed has failed already, and no opinion mends that',
  needs_review_already: 'a person is asked already',
  plan: 'a plan is looked at by a person',
  empty_patch: 'the patch changes nothing',
  hidden_tests: 'hidden tests have run, and no rule has noted anything',
  decided_before: 'it was decided before',
  graded_down: 'the work was graded down',
  red_team_failed: 'the red team has sent the work back',
} as const;

/** Returns the text of a skip reason. */
export const describeSkip = (skip: SkipReason): string =>
  `not asked: ${skip.code === 'stopped_at_node' ? `the work did not come past ${skip.node}` : TEXTS[skip.code]}`;
