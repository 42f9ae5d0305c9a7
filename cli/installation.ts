import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI_EXIT_CODES, CliError } from './exit.ts';

/** Root of the clone, or of the installed package. */
export const INSTALL_ROOT = resolve(fileURLToPath(import.meta.url), '../..');

/** Returns the program of the agent container: a source file in a clone, a bundle in the package. */
export function findAgentProgram(): string {
  const source = resolve(INSTALL_ROOT, 'containers/agent/main.ts');
  return existsSync(source) ? source : resolve(INSTALL_ROOT, 'bundles/containers/agent/main.mjs');
}

const STACK = resolve(INSTALL_ROOT, 'local/main.ts');
const hasStack = existsSync(STACK);

/** The command that starts the embedded stack, for messages. */
export const START_STACK_COMMAND = hasStack
  ? '`assay up`'
  : '`npm run -s assay -- up` in a clone of the repository';
/** Marks the summary of a command that needs the embedded stack if it is not installed. */
export const markCloneOnlyCommandSummary = (summary: string): string =>
  hasStack ? summary : `${summary} (in a clone only)`;

/** Returns the program of the embedded stack. @throws CliError in the package, which does not have it */
export function findStackProgram(): string {
  if (hasStack) return STACK;
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'not_in_the_package',
    'The embedded stack is not part of the installed package: its database is native code, and its template is made by the CDK.',
    {
      hint: 'Clone the repository and run `npm ci`: `npm run -s assay -- up` starts the stack, `npm run demo` shows it. Connect this command to it with --url and --token, or ASSAY_URL and ASSAY_TOKEN.',
    },
  );
}
