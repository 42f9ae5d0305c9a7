import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CascadePolicy } from '../shared/cascade/learning/policy.ts';
import { ENV } from '../shared/names.ts';
import { parseYaml } from '../shared/yaml.ts';
import { CliError, EXIT } from './exit.ts';
import type { Io } from './io.ts';

const refused = (file: string, problems: readonly string[]): CliError =>
  new CliError(EXIT.usage, 'bad_policy', `${file} does not say how the cascade chooses.`, {
    details: problems.map((message) => ({ where: file, message })),
    hint: 'For example `policy: thompson`; docs/cascade.md has all of it.',
  });

/** The policy in FILE. Throws {@link CliError} that names each wrong field. */
export function readPolicy(file: string, io: Pick<Io, 'cwd'>): CascadePolicy {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw refused(file, [error instanceof Error ? error.message : String(error)]);
  }
  const read = parseYaml(text, file, CascadePolicy);
  if ('value' in read) return read.value;
  throw refused(
    file,
    read.problems.map(({ line, message }) => `${line === null ? '' : `line ${line}: `}${message}`),
  );
}

/** The policy in FILE, as the embedded stack takes it in its environment. */
export const policyEnvironment = (file: string, io: Pick<Io, 'cwd'>): Record<string, string> => ({
  [ENV.cascadePolicy]: JSON.stringify(readPolicy(file, io)),
});
