import type { RuleCard } from '../rule.ts';

/** How far what silences a check may go: what honest code looks like too is for a person at most, or a note. What code really does is told by runs. */
const card = (id: string, level: RuleCard['default'], says: string, why: string): RuleCard => ({
  id,
  default: level,
  says,
  why,
});

const SILENCED =
  'A tool that is required here is told to look away from what the patch adds. Where the tool is not required, it is a note.';
const RUN = 'Runs tell what it does; the text alone says too little.';

/** What the gate `suppressions` reads, with the highest level of each. */
export const SUPPRESSION_RULES: readonly RuleCard[] = [
  card('lint_suppressed', 'block', 'a comment silences the linter', SILENCED),
  card('type_check_suppressed', 'block', 'a comment silences the type checker', SILENCED),
  card('coverage_suppressed', 'block', 'a comment leaves code out of coverage', SILENCED),
  card('scanner_suppressed', 'block', 'a comment silences a scanner', SILENCED),
  card('mutation_suppressed', 'block', 'a comment keeps mutants away', SILENCED),
  card('format_suppressed', 'block', 'a comment silences the formatter', SILENCED),
  card(
    'addresses_reviewer',
    'hold',
    'a comment tells whoever reviews the patch what to say',
    'Text for a model or a person that judges the patch has no other use.',
  ),
  card(
    'link_leads_out',
    'block',
    'a link leads out of the tree',
    'What it shows is not what was checked, and what is delivered is another thing on each machine.',
  ),
  card(
    'does_not_parse',
    'block',
    'code that parsed before does not any more',
    'Nothing can be said of it, and nobody can run it.',
  ),
  card('not_readable', 'hold', 'a file is too large to be looked at', 'Nobody has read it.'),
  card('ends_process', 'hold', 'code ends the process well as soon as it is loaded', RUN),
  card('rewrites_exit_code', 'hold', 'code changes how a failed run ends', RUN),
  card('runner_patched', 'hold', 'the test runner or its assertions are replaced', RUN),
  card('equal_to_everything', 'hold', 'a value claims to be equal to anything', RUN),
  card('detects_test_run', 'hold', 'code can tell that it is being tested', RUN),
  card('error_swallowed', 'report', 'every error is caught and thrown away', RUN),
  card('function_emptied', 'report', 'nothing is left of a function that did something', RUN),
  card('file_emptied', 'report', 'a file was emptied instead of deleted', RUN),
];
