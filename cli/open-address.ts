import { spawn } from 'node:child_process';
import type { LocalSession } from './local-session.ts';

/** What opens an address where a person sees it, by platform. */
function opener(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // `start` is a word of the shell there, and would read an ampersand.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/**
 * Opens an address in the browser; BROWSER names another program. The address was printed before: where no browser can be had it is
 * said, and nothing fails. No token is in the address, since the list of processes shows it to everybody on the machine.
 */
export function openAddress(address: string, session: Pick<LocalSession, 'note' | 'io'>): void {
  const own = session.io.env['BROWSER'];
  const [program, ...first] = own ? ([own] as const) : opener(process.platform);
  const child = spawn(program, [...first, address], { stdio: 'ignore', detached: true });
  child.once('error', () =>
    session.note(`No browser could be opened (${program}). Open ${address} yourself.`),
  );
  child.unref();
}
