import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { PushRequirements } from '../../functions/deliver/deliver-work.ts';
import type {
  AgentAssignment,
  ChallengerAssignment,
  DeliveryAssignment,
  GatesAssignment,
  LaunchAssignment,
} from '../../shared/contract/messages/assignment.ts';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { provideNoCredentials } from '../../shared/store/credential-provider.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import type { FakeApi } from './fake-api.ts';

export interface RunningBox {
  readonly child: ChildProcess;
  /** Exit code and everything on standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly log: string }>;
}

/**
 * Starts a box as the embedded default does: a plain process whose standard input stays open as long as its parent lives.
 * @param confine what the program is started with, such as `CONFINE`.
 */
export function startBox(
  program: readonly string[],
  api: FakeApi,
  assignment: LaunchAssignment,
  env: Record<string, string> = {},
  confine: readonly string[] = [],
): RunningBox {
  api.objects.set('/assignment', Buffer.from(JSON.stringify(assignment)));
  const [file = '', ...args] = [...confine, process.execPath, ...program];
  const child = spawn(file, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      TMPDIR: process.env['TMPDIR'] ?? '/tmp',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      [CONTAINER_ENV_NAMES.assignmentUrl]: `${api.url}/assignment`,
      [CONTAINER_ENV_NAMES.exitWithParent]: 'true',
      ...env,
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8');
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, log })) };
}

/** What a box's work is given when it runs in this process: everything but the life of a process of its own. */
export async function inBox<T>(work: (box: ContainerWorkContext) => Promise<T>): Promise<T> {
  const workDir = createTemporaryFolder('assay-box-');
  try {
    return await work({ workDir, users: null, embedded: true, abort: new AbortController().signal });
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

const common = (api: FakeApi, repository: string) => ({
  schema_version: 1 as const,
  task_id: 'T1',
  attempt: 1,
  api_url: api.url,
  delete_url: `${api.url}/assignment`,
  token: api.token,
  repository,
  read_credential: null,
});

export const agentAssignment = (
  api: FakeApi,
  repository: string,
  argv: readonly string[],
  more: Partial<AgentAssignment> = {},
): AgentAssignment => ({
  ...common(api, repository),
  kind: 'agent',
  base_commit: '0'.repeat(40),
  title: 'Title',
  role: 'backend',
  prompt: { TASK_TITLE: 'Title', TASK_DESCRIPTION: 'Do it.' },
  model: 'haiku',
  effort: 'normal',
  adapter: { kind: 'command', argv: [...argv], timeout_s: 60 },
  test_commands: [],
  model_access: null,
  heartbeat_s: 60,
  ...more,
});

/** Puts the patch where the box fetches it, and describes it. */
const patched = (api: FakeApi, patch: Buffer) => {
  api.objects.set('/patch', patch);
  return {
    patch_url: `${api.url}/patch`,
    patch_sha256: createHash('sha256').update(patch).digest('hex'),
  };
};

export const gatesAssignment = (
  api: FakeApi,
  repository: string,
  work: { readonly base_commit: string; readonly tree: string; readonly patch: Buffer },
  more: Partial<GatesAssignment> = {},
): GatesAssignment => ({
  ...common(api, repository),
  kind: 'gates',
  base_commit: work.base_commit,
  base_ref: 'main',
  tree: work.tree,
  ...patched(api, work.patch),
  title: 'Title',
  role: 'backend',
  description: '',
  acceptance_criteria: [],
  model: null,
  signals: [],
  files: [],
  expected_changes: [],
  hidden_tests: null,
  model_access: null,
  ...more,
});

export const challengerAssignment = (
  api: FakeApi,
  repository: string,
  work: { readonly base_commit: string; readonly tree: string; readonly patch: Buffer },
  more: Partial<ChallengerAssignment> = {},
): ChallengerAssignment => ({
  ...common(api, repository),
  kind: 'challenger',
  base_commit: work.base_commit,
  tree: work.tree,
  ...patched(api, work.patch),
  title: 'Title',
  description: '',
  acceptance_criteria: [],
  files: [],
  expected_changes: [],
  checks: [],
  requirements: [],
  model: 'haiku',
  adapter: { kind: 'command', argv: ['true'], timeout_s: 60 },
  mode: 'gate',
  refer_above: 0.5,
  model_access: null,
  judge_access: null,
  ...more,
});

/** The work is accepted; neither the minter nor the deployment has anything to push with. */
export const NO_PUSH_CREDENTIALS: PushRequirements = {
  isAccepted: async () => true,
  getCredential: provideNoCredentials,
  readSecret: async () => null,
};

export const deliverAssignment = (
  api: FakeApi,
  repository: string,
  work: { readonly base_commit: string; readonly tree: string; readonly patch: Buffer },
  more: Partial<DeliveryAssignment> = {},
): DeliveryAssignment => ({
  ...common(api, repository),
  kind: 'deliver',
  base_commit: work.base_commit,
  tree: work.tree,
  ...patched(api, work.patch),
  branch: 'assay/T1',
  message: 'Title\n\nTask: T1\n',
  author: 'Assay <assay@example.org>',
  committed_at: '2026-01-02T03:04:05Z',
  ...more,
});
