import { randomUUID } from 'node:crypto';
import { chmod, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { renderTaskPrompt } from '../../shared/control/roles/render-prompt.ts';
import type { Role } from '../../shared/control/roles/role.ts';
import { changeOwner } from '../../workspace/git/change-owner.ts';
import { checkOutTree } from '../../workspace/git/checkout-tree.ts';
import { createCheckoutGit } from '../../workspace/git/create-checkout-git.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { readFileOfTree } from '../../workspace/git/tree-folder.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import type { AgentInstructions, AgentInvocation, WorkspaceLayout } from './adapters/adapter.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import { APPROVAL_INSTRUCTIONS } from './approval-request.ts';
import { loadRepositoryKnowledge } from './load-role.ts';

/** Longest argument in bytes that is passed on as one; the kernel takes 131,071. */
const ARGUMENT_BYTES = 100_000;
/** Where a repository says how agents are to work in it; the first that is there counts. */
const INSTRUCTIONS = ['CLAUDE.md', 'AGENTS.md'];
/** Largest of these that is handed on, in bytes. */
const MAX_INSTRUCTIONS_BYTES = 262_144;

export interface PreparedWorkspace {
  readonly layout: WorkspaceLayout;
  readonly gitIndex: string;
  readonly invocation: AgentInvocation;
  /** The same for an agent that starts anew, with something said after its task. */
  readonly withMessage: (message: string) => Promise<PreparedWorkspace>;
}

/** What the agent is told; without NUL, which the operating system cannot pass in an argument. */
async function promptOf(
  { prompt }: AgentAssignment,
  role: Role,
  store: GitStore,
  commit: string,
): Promise<{ text: string; repository: AgentInstructions['repository'] }> {
  const [KNOWLEDGE, repository] = await Promise.all([
    loadRepositoryKnowledge(store, commit),
    repositoryInstructions(store, commit),
  ]);
  const text = renderTaskPrompt(role.taskPrompt, { ...prompt, KNOWLEDGE }).replaceAll('\0', '');
  return { text, repository };
}

/** As they stand in the base commit, whatever a checkout may hold. */
async function repositoryInstructions(
  store: GitStore,
  commit: string,
): Promise<AgentInstructions['repository']> {
  for (const file of INSTRUCTIONS) {
    const found = await readFileOfTree(store, commit, file, MAX_INSTRUCTIONS_BYTES).catch(() => null);
    if (found?.regular) return { file, text: found.content.toString('utf8').replaceAll('\0', '') };
  }
  return null;
}

const inOneFile = ({ role, repository }: Omit<AgentInstructions, 'file'>): string =>
  repository === null ? role : `${role}\n# ${repository.file} of the repository\n\n${repository.text}`;

/** What is said and asked around the run. */
export interface PromptHooks {
  readonly beforeAgent: (text: string) => Promise<string | null>;
  readonly beforeModel: (message: string) => Promise<string>;
  readonly toolHookUrl: string | null;
}
const NO_PROMPT_HOOKS: PromptHooks = {
  beforeAgent: async () => null,
  beforeModel: async (message) => message,
  toolHookUrl: null,
};

async function writeFiles(files: AgentInvocation['files']): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Everything that the agent finds: the checkout, and outside of it the prompt, a home and room for temporary files. */
export async function prepareWorkspace(
  assignment: AgentAssignment,
  box: ContainerWorkContext,
  role: Role,
  store: GitStore,
  commit: string,
  /** What is put into the checkout: the base, or what an earlier box of this attempt had made of it. */
  treeish: string = commit,
  around: PromptHooks = NO_PROMPT_HOOKS,
): Promise<PreparedWorkspace> {
  const at = (name: string): string => join(box.workDir, name);
  const user = box.users?.[0] ?? null;
  await mkdir(at('agent'), { mode: user ? 0o711 : 0o700 });
  const home = at('agent/home');
  // A program of the user's own may need what the user has; a CLI that we configure finds nothing but that.
  const own = !user && assignment.adapter.kind === 'command' ? process.env['HOME'] : undefined;
  const places: WorkspaceLayout = {
    root: await realpath(at('agent')),
    checkout: at('agent/checkout'),
    home: own ?? home,
    tmp: at('agent/tmp'),
    hookFolder: at('agent/hooks'),
    isHookFolderProtected: user !== null,
    promptFile: at('agent/tmp/prompt.md'),
    instructionsFile: at('agent/tmp/instructions.md'),
    usageFile: at('agent/tmp/usage.json'),
    approvalFile: at('agent/tmp/approval.json'),
  };
  const index = at('index');
  await Promise.all([mkdir(home), mkdir(places.tmp), mkdir(places.hookFolder, { mode: 0o755 })]);
  const { text: asked, repository } = await promptOf(assignment, role, store, commit);
  const header = await around.beforeAgent(`${asked}\n${repository?.text ?? ''}`);
  const text = await around.beforeModel(asked);
  const instructions = {
    role: `${header === null ? '' : `${header}\n\n`}${role.systemPrompt.trimEnd()}\n\n${APPROVAL_INSTRUCTIONS}`,
    repository,
    file: places.instructionsFile,
  };
  await Promise.all([
    writeFile(places.promptFile, text),
    writeFile(places.instructionsFile, inOneFile(instructions)),
    checkOutTree(store, treeish, places.checkout, index),
  ]);
  // The agent's git reads the store, which holds the base commit and what this attempt has made of it.
  if (user) await chmod(store.dir, 0o755);
  await createCheckoutGit({
    checkout: places.checkout,
    format: store.format,
    borrowFrom: join(store.dir, 'objects'),
    commit,
    index,
  });
  const told = (text: string, places: WorkspaceLayout): AgentInvocation =>
    AGENT_ADAPTERS[assignment.adapter.kind].invoke({
      assignment,
      layout: places,
      fullPrompt: text,
      promptArgument:
        Buffer.byteLength(text) <= ARGUMENT_BYTES
          ? text
          : `Your task is in the file ${places.promptFile}. Read all of it first, then do what it says.`,
      modelAccess: assignment.model_access,
      instructions,
      maxCostUsd: role.config.limits.max_cost_usd ?? null,
      toolHookUrl: around.toolHookUrl,
      runsAsRoot: !box.users && process.getuid?.() === 0,
    });
  const invocation = told(text, places);
  await writeFiles(invocation.files);
  if (user) await changeOwner(user, [places.checkout, places.tmp, home]);
  const restated = async (message: string): Promise<PreparedWorkspace> => {
    // Not where the agent can write: it could have put a link there that leads elsewhere.
    const promptFile = at(`agent/prompt-${randomUUID()}.md`);
    const whole = `${text}\n\n${message.replaceAll('\0', '')}`;
    await writeFile(promptFile, whole, { flag: 'wx', mode: 0o644 });
    const again = { ...places, promptFile };
    const next = told(whole, again);
    // Those in the home stay as they are: root writes nothing where the agent could have put a link.
    const ofHooks = ([path]: readonly [string, string]) => path.startsWith(`${places.hookFolder}/`);
    await writeFiles(Object.fromEntries(Object.entries(next.files).filter(ofHooks)));
    for (const name of next.removed ?? []) await rm(join(home, name), { recursive: true, force: true });
    return { layout: again, gitIndex: index, invocation: next, withMessage: restated };
  };
  return { layout: places, gitIndex: index, invocation, withMessage: restated };
}
