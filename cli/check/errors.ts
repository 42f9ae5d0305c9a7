import type { ConfigError } from '../../gates/core/configuration-error.ts';
import { CliError, EXIT } from '../exit.ts';

/** A configuration that cannot be used, as the command line tells it: each place with what is wrong there. */
export const configError = (error: ConfigError): CliError =>
  new CliError(EXIT.usage, 'config_invalid', `${error.file} cannot be used.`, {
    details: error.problems.map(({ key, line, message }) => ({
      where: `${error.file}:${line}${key === '' ? '' : `: ${key}`}`,
      message,
    })),
  });
