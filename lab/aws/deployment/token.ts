import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The command line. */
export const MAIN = join(import.meta.dirname, '../../../cli/main.ts');

/** Runs the command line of Assay in this machine. @throws Error when it fails. */
export const assay = (...args: string[]): string =>
  execFileSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Makes an operator's token, as docs/deploy.md says. */
export function operatorToken(): string {
  const { TableName = '' } = inject('outputs');
  const { token } = JSON.parse(assay('token', 'create', '--name', 'you', '--table', TableName, '--json')) as {
    token: string;
  };
  return token;
}
