import type { Rooms } from '../rooms.ts';
import type { Program } from './tool.ts';

/** How long a program may take to say its version, in milliseconds. */
const ASK_MS = 20_000;

/** Programs of the checkout's own `node_modules` come first; a patch cannot bring any, they are taken from the base. */
export const OWN_TOOLS = 'export PATH="$PWD/node_modules/.bin:$PATH"; ';

/**
 * The version of a program, or null when it is not here. It is asked on the base commit, in a folder without any of its files,
 * so that nothing of a patch or of a configuration answers instead.
 */
export async function toolVersion(rooms: Rooms, base: string, program: Program): Promise<string | null> {
  const room = await rooms.enter(base);
  const asked = await room.run({ line: `${OWN_TOOLS}cd "$TMPDIR" && { ${program.version}; }` }, ASK_MS);
  if (asked.end !== 'exited' || asked.exitCode !== 0) return null;
  return /\d{1,6}(?:\.\d{1,9}){1,4}(?:[-+][\w.]{1,40})?/.exec(asked.output.slice(0, 4_000))?.[0] ?? 'unknown';
}

/** What the record says about a missing program. */
export const missing = ({ name, get }: Pick<Program, 'name' | 'get'>): string =>
  `${name} is not here; to get it: ${get}`;
