import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { handOver } from '../../gates/checkout/hand-over.ts';
import { plantGit } from '../../gates/checkout/plant.ts';
import type { Store } from '../../gates/checkout/store.ts';
import { materialise } from '../../gates/checkout/tree.ts';
import type { AgentAssignment } from '../../shared/messages/assignment.ts';
import type { Box } from '../supervisor/box.ts';
import type { Invocation, Job, Places } from './adapters/adapter.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';

/** Longest argument in bytes that is passed on as one; the kernel takes 131,071. */
const ARGUMENT_BYTES = 100_000;
/** Where a repository says how agents are to work in it; the first that is there counts. */
const INSTRUCTIONS = ['CLAUDE.md', 'AGENTS.md'];

export interface Prepared {
  readonly places: Places;
  readonly index: string;
  readonly invocation: Invocation;
}

/** The prompt without NUL: the operating system cannot pass one in an argument. */
const plainPrompt = ({ prompt }: AgentAssignment): string => prompt.replaceAll('\0', '');

/** Everything that the agent finds: the checkout, and outside of it the prompt, a home and room for temporary files. */
export async function prepare(
  assignment: AgentAssignment,
  box: Box,
  store: Store,
  commit: string,
): Promise<Prepared> {
  const at = (name: string): string => join(box.workDir, name);
  const user = box.users?.[0] ?? null;
  await mkdir(at('agent'), { mode: user ? 0o711 : 0o700 });
  const home = at('agent/home');
  // A program of the user's own may need what the user has; a CLI that we configure finds nothing but that.
  const own = !user && assignment.adapter.kind === 'command' ? process.env['HOME'] : undefined;
  const places: Places = {
    territory: await realpath(at('agent')),
    checkout: at('agent/checkout'),
    home: own ?? home,
    tmp: at('agent/tmp'),
    promptFile: at('agent/tmp/prompt.md'),
    usageFile: at('agent/tmp/usage.json'),
  };
  const index = at('index');
  await Promise.all([mkdir(home), mkdir(places.tmp)]);
  await Promise.all([
    writeFile(places.promptFile, plainPrompt(assignment)),
    materialise(store, commit, places.checkout, index),
  ]);
  await plantGit(store, places.checkout, commit, index);
  const invocation = AGENT_ADAPTERS[assignment.adapter.kind].invoke(await jobOf(assignment, box, places));
  for (const [path, text] of Object.entries(invocation.files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  if (user) await handOver(user, [places.checkout, places.tmp, home]);
  return { places, index, invocation };
}

async function jobOf(assignment: AgentAssignment, box: Box, places: Places): Promise<Job> {
  const prompt = plainPrompt(assignment);
  const isFile = (name: string): Promise<boolean> =>
    lstat(join(places.checkout, name)).then(
      (stat) => stat.isFile(),
      () => false,
    );
  const [found] = await Promise.all(
    INSTRUCTIONS.map(async (name) => ((await isFile(name)) ? name : null)),
  ).then((names) => names.filter((name) => name !== null));
  return {
    assignment,
    places,
    prompt:
      Buffer.byteLength(prompt) <= ARGUMENT_BYTES
        ? prompt
        : `Your task is in the file ${places.promptFile}. Read all of it first, then do what it says.`,
    models: assignment.models,
    instructions: found === undefined ? null : join(places.checkout, found),
    asRoot: !box.users && process.getuid?.() === 0,
  };
}
