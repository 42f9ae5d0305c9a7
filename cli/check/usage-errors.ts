import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../gates/core/configuration-file.ts';
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

/** Converts every error of a check's inputs that the caller can correct. Returns other errors unchanged. */
export const toCheckUsageError = (error: unknown): unknown =>
  error instanceof ConfigError ? createInvalidConfigCliError(error) : toRepositoryUsageError(error);

/** Reads a file that the command line names. @throws CliError */
export async function readInputFile(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? String(error)})`;
    throw new CliError(CLI_EXIT_CODES.usage, 'unreadable_file', `${file} ${why}.`);
  }
}
