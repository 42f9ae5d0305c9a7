import type { ConfigError } from '../../gates/core/configuration-file.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';

/**
 * Converts the error of a repository that a command cannot use into an error of usage. Returns other errors unchanged.
 * @param missingBaseHint what to do where the base does not exist
 */
export const toRepositoryUsageError = (
  error: unknown,
  missingBaseHint = 'Name a branch, tag or commit of that repository with --base.',
): unknown =>
  error instanceof CheckoutError && error.failureClass !== 'unknown'
    ? new CliError(CLI_EXIT_CODES.usage, error.failureClass, `${error.message}.`, {
        hint:
          error.hint ??
          (error.failureClass === 'base_ref_missing'
            ? missingBaseHint
            : 'Name a folder in a git repository with --repo.'),
      })
    : error;

/** Returns the error for a configuration that is not valid, with a detail for each place. */
export const createInvalidConfigCliError = (error: ConfigError): CliError =>
  new CliError(CLI_EXIT_CODES.usage, 'config_invalid', `${error.file} is not valid.`, {
    details: error.problems.map(({ key, line, message }) => ({
      where: `${error.file}:${line}${key === '' ? '' : `: ${key}`}`,
      message,
    })),
  });
