import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Synthesises a deployment with the default settings into a folder. */
export function synthesiseAssembly(folder: string): void {
  execFileSync(
    join(ROOT, 'node_modules/.bin/cdk'),
    ['synth', '--quiet', '--strict', '--no-notices', '--output', folder],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: 'true' },
    },
  );
}
