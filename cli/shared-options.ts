import { EXPECTED_CHANGE_KINDS, ExpectedChangeKind } from '../shared/contract/submission/expected-changes.ts';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { toOneLine } from './output/text.ts';
import {
  createIntegerParser,
  defineArgument,
  defineOption,
  type OptionParser,
  parseTimeLimit,
} from './parameters.ts';

export const TASK_ID_ARGUMENT = defineArgument('<id>', 'task id');

/** The reason for an operation on a task. */
export const REASON_OPTION = defineOption('--reason <text>', 'reason; kept with the task');
/** The reason for a change that is kept in a history. */
export const REQUIRED_REASON_OPTION = defineOption(
  '--reason <text>',
  'reason; kept in the history with your name',
  {
    required: true,
  },
);

/** Options of a listing that has pages. */
export const PAGINATION_OPTIONS = {
  limit: defineOption('--limit <number>', 'at most this many (maximum 200)', {
    parse: createIntegerParser(),
    default: 50,
  }),
  cursor: defineOption('--cursor <cursor>', 'continue an earlier listing: its next_cursor'),
};
/** Filters of a listing of tasks. */
export const TASK_FILTER_OPTIONS = {
  role: defineOption('--role <role>', 'only tasks of this role'),
  repository: defineOption('--repository <url>', 'only tasks of this repository'),
};

export const TIMEOUT_OPTION = defineOption(
  '--timeout <seconds>',
  'stop waiting after this long (exit code 124)',
  {
    parse: parseTimeLimit,
  },
);

export const IDEMPOTENCY_KEY_OPTION = defineOption(
  '--idempotency-key <key>',
  'the same key makes a repeated command safe (default: a new key)',
);

/** The repository that is checked, and what it is compared with. */
export const CHECKED_REPOSITORY_OPTIONS = {
  repo: defineOption('--repo <dir>', 'folder in the git repository', { default: '.' }),
  base: defineOption(
    '--base <ref>',
    'branch, tag or commit to compare with (else base_ref of assay.yaml, else main or master)',
  ),
};

/** Tests of somebody else than the patch's author. */
export const EXAM_FOLDER_OPTION = defineOption(
  '--exam <folder>',
  'acceptance tests written from the task alone, in a folder outside of the repository',
);
export const COUNTEREXAMPLES_OPTION = defineOption(
  '--counterexamples <folder>',
  'tests that are to fail on the patch, in a folder outside of the repository',
);

const expectations: OptionParser<readonly ExpectedChangeKind[]> = (text, flag) =>
  text.split(',').map((word) => {
    const known = ExpectedChangeKind.safeParse(word.trim());
    if (known.success) return known.data;
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_option',
      `${flag} ${toOneLine(word)}: known are ${EXPECTED_CHANGE_KINDS.join(', ')}.`,
    );
  });
export const EXPECTED_CHANGES_OPTION = defineOption(
  '--expected-changes <kinds>',
  'protected file kinds this task may change, for example ci,dependencies (repeatable); changes to others are reverted',
  { parse: expectations, repeatable: true },
);
