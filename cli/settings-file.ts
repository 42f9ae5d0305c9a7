import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type * as z from 'zod';
import { parseYaml } from '../shared/lib/yaml.ts';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import type { CommandIo } from './io.ts';

/** The error for a file that is not valid. */
export interface InvalidSettingsErrorOptions {
  readonly code: string;
  /** Follows the name of the file. */
  readonly message: string;
  readonly hint: string;
}

export const createInvalidSettingsError = (
  file: string,
  { code, message, hint }: InvalidSettingsErrorOptions,
  problems: readonly string[],
): CliError =>
  new CliError(CLI_EXIT_CODES.usage, code, `${file} ${message}`, {
    details: problems.map((each) => ({ where: file, message: each })),
    hint,
  });

/** Most uses of YAML anchors in a file of the operator's own. */
const MAX_ALIASES = 100;

/** Reads a settings file, YAML or JSON. @throws CliError that names each wrong field */
export function readSettingsFile<S extends z.ZodType>(
  file: string,
  schema: S,
  refusal: InvalidSettingsErrorOptions,
  io: Pick<CommandIo, 'cwd'>,
): z.output<S> {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw createInvalidSettingsError(file, refusal, [error instanceof Error ? error.message : String(error)]);
  }
  const read = parseYaml(text, file, schema, { maxAliases: MAX_ALIASES });
  if ('value' in read) return read.value;
  throw createInvalidSettingsError(
    file,
    refusal,
    read.problems.map(({ line, message }) => `${line === null ? '' : `line ${line}: `}${message}`),
  );
}
