import type { ConfigError } from '../../gates/core/configuration-file.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';

/** Returns the error for a configuration that is not valid, with a detail for each place. */
export const createInvalidConfigCliError = (error: ConfigError): CliError =>
  new CliError(CLI_EXIT_CODES.usage, 'config_invalid', `${error.file} is not valid.`, {
    details: error.problems.map(({ key, line, message }) => ({
      where: `${error.file}:${line}${key === '' ? '' : `: ${key}`}`,
      message,
    })),
  });
