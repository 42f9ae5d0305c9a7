/**
 * The gate that says whether a patch keeps to its task's files. It says where was worked, not whether it is right: it can hold a patch,
 * and verifies none.
 */
export const ALLOWED_FILES_GATE = 'allowed_files';

/** What the hidden tests of a task say: an entry among the gates, which no repository can switch off. */
export const HIDDEN_TESTS_GATE = 'hidden_tests';

/** Acceptance tests that were written without the patch's author: an entry among the gates, which no repository can bypass. */
export const ACCEPTANCE_TESTS_GATE = 'acceptance_tests';

/** Counterexamples to the patch, each re-run on both trees. */
export const COUNTEREXAMPLES_GATE = 'counterexamples';

/** What a challenger found on its attempt. */
export const CHALLENGE_GATE = 'challenge';

/** States that the working tree holds what the patch leaves out, such as a nested repository. */
export const COMPLETE_PATCH_GATE = 'complete_patch';

/** Entries among the gates that no configuration names: they come with the task or with the patch. */
export const UNCONFIGURED_GATE_NAMES: readonly string[] = [
  ALLOWED_FILES_GATE,
  COMPLETE_PATCH_GATE,
  HIDDEN_TESTS_GATE,
  ACCEPTANCE_TESTS_GATE,
  COUNTEREXAMPLES_GATE,
  CHALLENGE_GATE,
];
