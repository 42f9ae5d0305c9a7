import type { Sandbox, SandboxFactory } from '../../core/sandbox-factory.ts';
import type { ToolProgram } from '../../languages/language-tool.ts';
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
  const sandbox = await getQuerySandbox(sandboxes, base);
  return askOnce(sandbox, `${buildExportPathLine(folder)}cd "$TMPDIR" && { ${program.versionLine}; }`);
}

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
