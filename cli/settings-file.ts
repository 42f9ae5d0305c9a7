import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type * as z from 'zod';
import { parseYaml } from '../shared/lib/yaml.ts';
import { CliError, EXIT } from './exit.ts';
import type { Io } from './io.ts';

/** How a file is refused that does not say what it is for. */
export interface Refused {
  readonly code: string;
  /** After the name of the file. */
  readonly message: string;
  readonly hint: string;
}

export const refusedFile = (
  file: string,
  { code, message, hint }: Refused,
  problems: readonly string[],
): CliError =>
  new CliError(EXIT.usage, code, `${file} ${message}`, {
    details: problems.map((each) => ({ where: file, message: each })),
    hint,
  });

/** What stands in FILE, YAML or JSON. Throws {@link CliError} that names each wrong field. */
export function readSettingsFile<S extends z.ZodType>(
  file: string,
  schema: S,
  refused: Refused,
  io: Pick<Io, 'cwd'>,
): z.output<S> {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw refusedFile(file, refused, [error instanceof Error ? error.message : String(error)]);
  }
  const read = parseYaml(text, file, schema);
  if ('value' in read) return read.value;
  throw refusedFile(
    file,
    refused,
    read.problems.map(({ line, message }) => `${line === null ? '' : `line ${line}: `}${message}`),
  );
}
