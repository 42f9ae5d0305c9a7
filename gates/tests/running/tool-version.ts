import type { Sandbox, Sandboxes } from '../../core/sandboxes.ts';
import type { ToolProgram } from '../../languages/language-tool.ts';
import { enterFolderLine, exportPathLine } from './tool-folders.ts';

/** How long a program may take to say its version, in milliseconds. */
const ASK_MS = 20_000;
/** How long the set-up before the question may take, in milliseconds; a gate's own limit is mostly shorter. */
const SETUP_MS = 600_000;

/** Programs of the checkout's own `node_modules` come first; a patch cannot bring any, they are taken from the base. */
export const LOCAL_PROGRAMS_LINE = enterFolderLine('');

export interface ToolSetup {
  /** Line that prepares a checkout, and may bring programs along. */
  readonly setup?: string | null | undefined;
  /** Folder of the checkout that the set-up and the program run in; '' is the top. */
  readonly folder?: string | undefined;
}

/**
 * The version of a program, or null when it is not here. It is asked on the base commit, in a folder without any of its files,
 * so that nothing of a patch or of a configuration answers instead.
 */
export async function findToolVersion(
  rooms: Sandboxes,
  base: string,
  program: ToolProgram,
  { setup, folder = '' }: ToolSetup = {},
): Promise<string | null> {
  const room = await prepareSandbox(rooms, base, setup || null, folder);
  return askOnce(room, `${exportPathLine(folder)}cd "$TMPDIR" && { ${program.versionLine}; }`);
}

async function ask(room: Sandbox, line: string): Promise<string | null> {
  const asked = await room.run({ line }, ASK_MS);
  if (asked.end !== 'exited' || asked.exitCode !== 0) return null;
  return /\d{1,6}(?:\.\d{1,9}){1,4}(?:[-+][\w.]{1,40})?/.exec(asked.output.slice(0, 4_000))?.[0] ?? 'unknown';
}

/** Where a checkout may bring programs of its own. */
const PROGRAMS = /(?:^|\/)node_modules\/\.bin\//;

interface VersionQueries {
  last: Promise<unknown>;
  readonly answers: Map<string, Promise<string | null>>;
}

const asked = new WeakMap<Sandbox, VersionQueries>();

/**
 * Each question once for a room, in which nothing changes. One after the other: when a command in a room ends, all that still runs
 * there is killed, another question with it.
 */
function askOnce(room: Sandbox, line: string): Promise<string | null> {
  const known = asked.get(room) ?? { last: Promise.resolve(), answers: new Map() };
  asked.set(room, known);
  const there = known.answers.get(line);
  if (there) return there;
  const turn = () => ask(room, line);
  const answer = known.last.then(turn, turn);
  known.last = answer;
  known.answers.set(line, answer);
  return answer;
}

const preparedSandboxes = new WeakMap<Sandboxes, Map<string, Promise<Sandbox>>>();

/** A checkout of the base, after the set-up if there is one. All questions share it: nothing of a patch ever comes into it. */
function prepareSandbox(
  rooms: Sandboxes,
  base: string,
  setup: string | null,
  folder: string,
): Promise<Sandbox> {
  const known = preparedSandboxes.get(rooms) ?? new Map<string, Promise<Sandbox>>();
  preparedSandboxes.set(rooms, known);
  const key = JSON.stringify(setup === null ? [base] : [base, setup, folder]);
  const there = known.get(key);
  if (there) return there;
  const making = (async () => {
    const room = await (setup === null
      ? rooms.createMinimalToolQuerySandbox(base, PROGRAMS)
      : rooms.createToolQuerySandbox(base));
    // A set-up that fails leaves the question open; the run itself tells why.
    if (setup !== null) await room.run({ line: `${enterFolderLine(folder)}${setup}` }, SETUP_MS);
    return room;
  })();
  known.set(key, making);
  return making;
}

/** What the record says about a missing program. */
export const missingToolMessage = ({
  name,
  installHint,
}: Pick<ToolProgram, 'name' | 'installHint'>): string => `${name} is not here; to get it: ${installHint}`;
