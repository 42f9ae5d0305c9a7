import { EXPECTED_CHANGES, ExpectedChange } from '../shared/contract/submission/expected-changes.ts';
import { CliError, EXIT } from './exit.ts';
import { toOneLine } from './output/text.ts';
import { argument, option, type ParseOption, timeLimit, wholeNumber } from './parameters.ts';

export const TASK_ID = argument('<id>', 'task id');

/** The reason for an operation on a task. */
export const REASON = option('--reason <text>', 'reason; kept with the task');
/** The reason for a change that is kept in a history. */
export const REQUIRED_REASON = option('--reason <text>', 'reason; kept in the history with your name', {
  required: true,
});

/** Options of a listing that has pages. */
export const PAGE_OPTIONS = {
  limit: option('--limit <number>', 'at most this many (maximum 200)', { parse: wholeNumber(), default: 50 }),
  cursor: option('--cursor <cursor>', 'continue an earlier listing: its next_cursor'),
};
/** Filters of a listing of tasks. */
export const TASK_FILTERS = {
  role: option('--role <role>', 'only tasks of this role'),
  repository: option('--repository <url>', 'only tasks of this repository'),
};

export const TIMEOUT = option('--timeout <seconds>', 'stop waiting after this long (exit code 124)', {
  parse: timeLimit,
});

export const IDEMPOTENCY_KEY = option(
  '--idempotency-key <key>',
  'the same key makes a repeated command safe (default: a new key)',
);

const expectations: ParseOption<readonly ExpectedChange[]> = (text, flag) =>
  text.split(',').map((word) => {
    const known = ExpectedChange.safeParse(word.trim());
    if (known.success) return known.data;
    throw new CliError(
      EXIT.usage,
      'bad_option',
      `${flag} ${toOneLine(word)}: known are ${EXPECTED_CHANGES.join(', ')}.`,
    );
  });
export const EXPECTS = option(
  '--expects <kinds>',
  'protected file kinds this task may change, for example ci,dependencies (repeatable); changes to others are reverted',
  { parse: expectations, repeatable: true },
);
