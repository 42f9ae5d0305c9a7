import type { Room, Rooms } from '../../core/rooms.ts';
import type { Program } from '../../languages/tool.ts';
import { enter, programsOf } from './folders.ts';

/** How long a program may take to say its version, in milliseconds. */
const ASK_MS = 20_000;
/** How long the set-up before the question may take, in milliseconds; a gate's own limit is mostly shorter. */
const SETUP_MS = 600_000;

/** Programs of the checkout's own `node_modules` come first; a patch cannot bring any, they are taken from the base. */
export const OWN_TOOLS = enter('');

export interface Place {
  /** Line that prepares a checkout, and may bring programs along. */
  readonly setup?: string | null | undefined;
  /** Folder of the checkout that the set-up and the program run in; '' is the top. */
  readonly folder?: string | undefined;
}

/**
 * The version of a program, or null when it is not here. It is asked on the base commit, in a folder without any of its files,
 * so that nothing of a patch or of a configuration answers instead.
 */
export async function toolVersion(
  rooms: Rooms,
  base: string,
  program: Program,
  { setup, folder = '' }: Place = {},
): Promise<string | null> {
  const room = await prepared(rooms, base, setup || null, folder);
  return answered(room, `${programsOf(folder)}cd "$TMPDIR" && { ${program.version}; }`);
}

async function ask(room: Room, line: string): Promise<string | null> {
  const asked = await room.run({ line }, ASK_MS);
  if (asked.end !== 'exited' || asked.exitCode !== 0) return null;
  return /\d{1,6}(?:\.\d{1,9}){1,4}(?:[-+][\w.]{1,40})?/.exec(asked.output.slice(0, 4_000))?.[0] ?? 'unknown';
}

/** Where a checkout may bring programs of its own. */
const PROGRAMS = /(?:^|\/)node_modules\/\.bin\//;

interface Asked {
  last: Promise<unknown>;
  readonly answers: Map<string, Promise<string | null>>;
}

const asked = new WeakMap<Room, Asked>();

/**
 * Each question once for a room, in which nothing changes. One after the other: when a command in a room ends, all that still runs
 * there is killed, another question with it.
 */
function answered(room: Room, line: string): Promise<string | null> {
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

const preparedRooms = new WeakMap<Rooms, Map<string, Promise<Room>>>();

/** A checkout of the base, after the set-up if there is one. All questions share it: nothing of a patch ever comes into it. */
function prepared(rooms: Rooms, base: string, setup: string | null, folder: string): Promise<Room> {
  const known = preparedRooms.get(rooms) ?? new Map<string, Promise<Room>>();
  preparedRooms.set(rooms, known);
  const key = JSON.stringify(setup === null ? [base] : [base, setup, folder]);
  const there = known.get(key);
  if (there) return there;
  const making = (async () => {
    const room = await (setup === null ? rooms.asideFor(base, PROGRAMS) : rooms.aside(base));
    // A set-up that fails leaves the question open; the run itself tells why.
    if (setup !== null) await room.run({ line: `${enter(folder)}${setup}` }, SETUP_MS);
    return room;
  })();
  known.set(key, making);
  return making;
}

/** What the record says about a missing program. */
export const missing = ({ name, get }: Pick<Program, 'name' | 'get'>): string =>
  `${name} is not here; to get it: ${get}`;
