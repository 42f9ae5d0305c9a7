import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI_EXIT_CODES, CliError } from './exit.ts';

/** Root of the checkout, or of the installed package. */
export const INSTALL_ROOT = resolve(fileURLToPath(import.meta.url), '../..');

/** The program of the agent's box: a source in a checkout, in the package the bundle that goes into the image. */
export function findAgentProgram(): string {
  const source = resolve(INSTALL_ROOT, 'containers/agent/main.ts');
  return existsSync(source) ? source : resolve(INSTALL_ROOT, 'bundles/containers/agent/main.mjs');
}

const STACK = resolve(INSTALL_ROOT, 'local/main.ts');
const hasStack = existsSync(STACK);

/** What starts the embedded stack, for whoever is told to. */
export const START_STACK_COMMAND = hasStack
  ? '`assay up`'
  : '`npm run -s assay -- up` in a clone of the repository';
/** What a command does that needs the embedded stack. */
export const addCloneOnlyNote = (summary: string): string =>
  hasStack ? summary : `${summary} (in a clone only)`;

/** The program of the embedded stack. Throws CliError in the package, which has no engines for it. */
export function findStackProgram(): string {
  if (hasStack) return STACK;
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'not_in_the_package',
    'The embedded stack is not part of the installed package: its database is native code, and its template is made by the CDK.',
    {
      hint: 'Clone the repository: there, after `npm ci`, `npm run -s assay -- up` starts it and `npm run demo` shows it. --url and --token, or ASSAY_URL and ASSAY_TOKEN, lead the commands of the package to it.',
    },
  );
}
