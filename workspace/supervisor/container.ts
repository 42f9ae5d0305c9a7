import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LaunchAssignment } from '../../shared/contract/messages/assignment.ts';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { killAllProcessGroups } from '../process/process-groups.ts';
import { type ProcessUser, parseProcessUsers } from '../process/process-user.ts';
import { removeFolder } from '../process/remove-folder.ts';
import { installCaBundle } from './ca-bundle.ts';
import { fetchAndRemoveAssignment } from './take-assignment.ts';

/** What every box has: where it works, as whom commands run, and a way to be told to stop. */
export interface ContainerWorkContext {
  readonly workDir: string;
  /** Users that commands may run as, at least one; null: as we do. */
  readonly users: readonly ProcessUser[] | null;
  /** The embedded default: file:// repositories are allowed there only. */
  readonly embedded: boolean;
  readonly abort: AbortSignal;
}

const say = (message: string): void => console.error(message);

/** Signals that end the box, and its exit code then. */
const ENDED_BY = { SIGTERM: 143, SIGINT: 143, SIGHUP: 129 } as const;

/** What a box has for its last words, in milliseconds: ECS kills it 120 s after it was asked to end, or Spot takes its machine. */
const LAST_WORDS_MS = 100_000;

/** Ends everything that the box has started, at once. */
function end(code: number): never {
  killAllProcessGroups();
  process.exit(code);
}

/** In the embedded default the box must not outlive the machine that it plays a container on. */
function exitWithParent(): void {
  process.stdin.on('error', () => end(1));
  process.stdin.on('end', () => end(1));
  process.stdin.on('close', () => end(1));
  process.stdin.resume();
}

/** The end of the one line that one which was started ahead is given. */
const NEWLINE = 0x0a;

/** In the embedded default a box may be started, and loaded, before there is anything for it to do: it waits until it is told what. */
async function waitForEnvironment(): Promise<void> {
  if (process.env[CONTAINER_ENV_NAMES.warmStart] === undefined) return;
  const pieces: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const hear = (piece: Buffer): void => {
      pieces.push(piece);
      if (!piece.includes(NEWLINE)) return;
      process.stdin.off('data', hear);
      resolve();
    };
    process.stdin.on('data', hear);
  });
  delete process.env[CONTAINER_ENV_NAMES.warmStart];
  Object.assign(process.env, JSON.parse(Buffer.concat(pieces).toString('utf8')));
}

/**
 * Runs a box from start to end: reads the assignment, does the work in a folder of its own, and cleans up.
 * The exit code is 0 when the API knows how it went, else 1: then the box counts as lost and is started again. Told to end, it stops what
 * it does, hands in what there is, and says so; told twice, or before it has begun, it ends at once.
 */
export async function runContainerWork<Kind extends 'agent' | 'gates' | 'challenger'>(
  work: {
    readonly [Each in Kind]: (
      assignment: Extract<LaunchAssignment, { kind: Each }>,
      box: ContainerWorkContext,
    ) => Promise<void>;
  },
): Promise<void> {
  const embedded = process.env[CONTAINER_ENV_NAMES.exitWithParent] !== undefined;
  if (embedded) {
    exitWithParent();
    await waitForEnvironment();
  }
  const stopping = new AbortController();
  let workDir: string | null = null;
  let code = 0;
  for (const [signal, status] of Object.entries(ENDED_BY))
    process.on(signal, () => {
      say(`${signal}: stopping`);
      if (workDir === null || stopping.signal.aborted) end(status);
      code = status;
      stopping.abort();
      setTimeout(() => end(status), LAST_WORDS_MS).unref();
    });
  try {
    const users = parseProcessUsers(process.env[CONTAINER_ENV_NAMES.runAs]);
    const url = process.env[CONTAINER_ENV_NAMES.assignmentUrl];
    if (!url) throw new Error(`${CONTAINER_ENV_NAMES.assignmentUrl} is not set`);
    delete process.env[CONTAINER_ENV_NAMES.assignmentUrl];
    const assignment = await fetchAndRemoveAssignment(Object.keys(work) as Kind[], url);
    if (assignment === null) throw new Error('the assignment is gone, or its URL is too old');
    const { kind } = assignment as LaunchAssignment;
    workDir = await mkdtemp(join(tmpdir(), `assay-${kind}-`));
    // The other user must be able to walk in, but not to look around.
    if (users) await chmod(workDir, 0o711);
    await installCaBundle(workDir);
    const run = work[kind as Kind] as (
      assignment: LaunchAssignment,
      box: ContainerWorkContext,
    ) => Promise<void>;
    await run(assignment, { workDir, users, embedded, abort: stopping.signal });
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    code ||= 1;
  }
  killAllProcessGroups();
  if (workDir) await removeFolder(workDir);
  process.exit(code);
}
