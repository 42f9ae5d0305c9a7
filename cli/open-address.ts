import { spawn } from 'node:child_process';
import type { LocalCommandSession } from './local-session.ts';

/** Returns the command that opens an address in the default browser. */
function openCommand(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // `start` is a shell command there, and would interpret an ampersand.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/**
 * Opens an address in the browser; BROWSER names another program. If that fails, a note asks the user to open it. The address must have
 * no token: every user of the machine can read the list of processes.
 */
export function openInBrowser(address: string, session: Pick<LocalCommandSession, 'note' | 'io'>): void {
  const own = session.io.env['BROWSER'];
  const [program, ...first] = own ? ([own] as const) : openCommand(process.platform);
  const child = spawn(program, [...first, address], { stdio: 'ignore', detached: true });
  child.once('error', () =>
    session.note(`No browser could be opened (${program}). Open ${address} yourself.`),
  );
  child.unref();
}
