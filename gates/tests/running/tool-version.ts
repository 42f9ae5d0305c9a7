import { listFiles } from '../../../workspace/git/list-files.ts';
import type { ExecutionEnvironment } from '../../core/execution-environment.ts';
import { computeCacheEntryKey, type PersistentCache } from '../../core/persistent-cache.ts';
import type { Sandbox, SandboxFactory } from '../../core/sandbox-factory.ts';
import type { ToolProgram } from '../../languages/language-tool.ts';
import { listProgramIdentities } from './program-identities.ts';
import { buildEnterFolderLine, buildExportPathLine } from './tool-folders.ts';

/** How long a program may take to say its version, in milliseconds. */
const ASK_MS = 20_000;

/** Programs of the checkout's own `node_modules` come first; a patch cannot bring any, they are taken from the base. */
export const USE_LOCAL_PROGRAMS_LINE = buildEnterFolderLine('');

/**
 * Returns the version of a program, or null if it is not installed. The program runs with the environment of the base commit, in a
 * folder without any files, so that nothing of a patch or of a configuration answers instead.
 * @param folder folder of the checkout that the program would run in; '' is the top.
 */
export async function findToolVersion(
  sandboxes: SandboxFactory,
  base: string,
  program: ToolProgram,
  folder = '',
): Promise<string | null> {
  const line = `${buildExportPathLine(folder)}cd "$TMPDIR" && { ${program.versionLine}; }`;
  const known = versionsOf(sandboxes);
  const there =
    known.get(`${base}\0${line}`) ??
    lookUpVersion(sandboxes, base, { line, programs: program.versionLine }, async () =>
      askOnce(await getQuerySandbox(sandboxes, base), line),
    );
  known.set(`${base}\0${line}`, there);
  return there;
}

const versions = new WeakMap<SandboxFactory, Map<string, Promise<string | null>>>();

function versionsOf(sandboxes: SandboxFactory): Map<string, Promise<string | null>> {
  const known = versions.get(sandboxes) ?? new Map<string, Promise<string | null>>();
  versions.set(sandboxes, known);
  return known;
}

/** Where versions outlive a run, and what they depend on there. */
interface ToolVersionCache {
  readonly cache: PersistentCache;
  readonly environment: ExecutionEnvironment;
}

const caches = new WeakMap<SandboxFactory, ToolVersionCache>();

/** From now on the versions of the tools in these sandboxes are kept for later runs. */
export const enableToolVersionCache = (sandboxes: SandboxFactory, cache: ToolVersionCache): void =>
  void caches.set(sandboxes, cache);

/**
 * Looks a version up, or asks for it and keeps it. A version is kept for the preparation that it was found in and the programs of the
 * machine that the line names. Where nothing is prepared, packages of the machine may change without a sign, so nothing is kept.
 */
async function lookUpVersion(
  sandboxes: SandboxFactory,
  base: string,
  { line, programs }: { readonly line: string; readonly programs: string },
  ask: () => Promise<string | null>,
): Promise<string | null> {
  const known = caches.get(sandboxes);
  const preparation = known === undefined ? null : await sandboxes.identifyPreparation(base);
  if (known === undefined || preparation === null || (await hasOwnPrograms(sandboxes, base))) return ask();
  const key = computeCacheEntryKey('facts', {
    schema: 1,
    of: 'tool_version',
    ...known.environment,
    preparation,
    line,
    programs: await listProgramIdentities(programs, null),
  });
  const kept = await known.cache.get(key);
  if (typeof kept === 'string') return kept;
  const version = await ask();
  // What is missing may be installed by the next run.
  if (version !== null) await known.cache.put(key, version);
  return version;
}

const hasOwnPrograms = async (sandboxes: SandboxFactory, base: string): Promise<boolean> =>
  (await listFiles(sandboxes.storeOf(base), base)).some(({ path }) => PROGRAMS.test(path));

async function ask(sandbox: Sandbox, line: string): Promise<string | null> {
  const asked = await sandbox.run({ line }, ASK_MS);
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
 * Asks each question once for a sandbox, in which nothing changes, and one after the other: the end of a command ends all that still
 * runs in the sandbox.
 */
function askOnce(sandbox: Sandbox, line: string): Promise<string | null> {
  const known = asked.get(sandbox) ?? { last: Promise.resolve(), answers: new Map() };
  asked.set(sandbox, known);
  const there = known.answers.get(line);
  if (there) return there;
  const turn = () => ask(sandbox, line);
  const answer = known.last.then(turn, turn);
  known.last = answer;
  known.answers.set(line, answer);
  return answer;
}

const querySandboxes = new WeakMap<SandboxFactory, Map<string, Promise<Sandbox>>>();

/** Returns the one sandbox in which all questions about a base are asked: nothing of a patch ever comes into it. */
function getQuerySandbox(sandboxes: SandboxFactory, base: string): Promise<Sandbox> {
  const known = querySandboxes.get(sandboxes) ?? new Map<string, Promise<Sandbox>>();
  querySandboxes.set(sandboxes, known);
  const there = known.get(base) ?? sandboxes.createMinimalToolQuerySandbox(base, PROGRAMS);
  known.set(base, there);
  return there;
}

/** What the record says about a missing program. */
export const missingToolMessage = ({
  name,
  installHint,
}: Pick<ToolProgram, 'name' | 'installHint'>): string =>
  `${name} is not installed in the prepared checkout; to get it: ${installHint}`;
