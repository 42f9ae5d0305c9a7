import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EnvironmentPreparationError, type SandboxFolders } from '../core/sandbox-extension.ts';

const run = promisify(execFile);

/**
 * Looks for packages of Node that are links to outside of the sandbox, as `npm link` and `file:` make them.
 * @throws EnvironmentError that names the first one.
 */
export async function assertPackageLinksStayInSandbox({ checkout, place }: SandboxFolders): Promise<void> {
  const { stdout } = await run(
    'find',
    [
      checkout,
      '-name',
      '.git',
      '-prune',
      '-o',
      '-type',
      'l',
      '-path',
      '*/node_modules/*',
      '-not',
      '-path',
      '*/.bin/*',
      '-print0',
    ],
    { maxBuffer: 64 * 1_048_576 },
  );
  for (const link of stdout.split('\0').filter(Boolean)) {
    const target = await realpath(link).catch(() => null);
    if (target === null || target.startsWith(`${place}/`)) continue;
    const name = link.slice(checkout.length + 1);
    throw new EnvironmentPreparationError(
      `${name} is a link to ${target}, outside of the checkout, so commands would run the code there. Remove \`npm link\` from environment.setup, or depend on a published version`,
    );
  }
}
