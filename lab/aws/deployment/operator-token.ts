import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The command line. */
export const CLI_MAIN = join(import.meta.dirname, '../../../cli/main.ts');

/** Runs the command line of Assay in this machine. @throws Error when it fails. */
export const runAssay = (...args: string[]): string =>
  execFileSync(process.execPath, [CLI_MAIN, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** Makes an operator's token, as docs/how-to/deploy.md says. */
export function createTokenWithCli(): string {
  const { TableName = '' } = inject('outputs');
  const { token } = JSON.parse(
    runAssay('token', 'create', '--name', 'you', '--table', TableName, '--json'),
  ) as {
    token: string;
  };
  return token;
}
