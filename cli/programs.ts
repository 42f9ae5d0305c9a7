import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, EXIT } from './exit.ts';

/** Root of the checkout, or of the installed package. */
export const HOME = resolve(fileURLToPath(import.meta.url), '../..');

/** The program of the agent's box: a source in a checkout, in the package the bundle that goes into the image. */
export function agentProgram(): string {
  const source = resolve(HOME, 'containers/agent/main.ts');
  return existsSync(source) ? source : resolve(HOME, 'bundles/containers/agent/main.mjs');
}

/** The program of the embedded stack. Throws CliError in the package, which has no engines for it. */
export function stackProgram(): string {
  const source = resolve(HOME, 'local/main.ts');
  if (existsSync(source)) return source;
  throw new CliError(
    EXIT.usage,
    'not_in_the_package',
    'The embedded stack is not part of the installed package.',
    {
      hint: 'Clone the repository: there, after `npm ci`, `npm run -s assay -- up` starts it and `npm run demo` shows it. --url or ASSAY_URL leads the commands of the package to it.',
    },
  );
}
