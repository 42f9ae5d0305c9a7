import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { challengeTree } from '../../gates/pipeline/challenge-tree.ts';
import { keepCounterexamples } from '../../gates/tests/exam/ask-examiner.ts';
import type { ChallengeFolders } from '../../gates/tests/exam/challenge-folders.ts';
import type { ChallengerEnd } from '../../gates/tests/exam/challenge-patch.ts';
import { describeChallengerEnd } from '../../gates/tests/exam/challenger-end.ts';
import { createContainerApiClient } from '../../shared/api/container-client.ts';
import type { Exam } from '../../shared/contract/exam.ts';
import type { AgentAssignment, ChallengerAssignment } from '../../shared/contract/messages/assignment.ts';
import { changeOwner } from '../../workspace/git/change-owner.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { runProcess } from '../../workspace/process/run-process.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { rebuildSubmittedTree } from '../../workspace/supervisor/rebuild-tree.ts';
import type { WorkspaceLayout } from '../agent/adapters/adapter.ts';
import { JsonEventStream } from '../agent/adapters/json-event-stream.ts';
import { AGENT_ADAPTERS } from '../agent/adapters/registry.ts';
import { createAgentRunState } from '../agent/adapters/run-state.ts';
import { buildCliEnvironment } from '../agent/agent-environment.ts';
import { startLingerTimer } from '../agent/linger-timer.ts';
import { SILENCE_MS, startWatchdog, WAITING_MS } from '../agent/watchdog.ts';
import { createGatewayJudge } from './gateway-judge.ts';
import { createS3Cache } from './s3-cache.ts';

const MAX_OUTPUT_BYTES = 1_048_576;
const GRACE_MS = 10_000;

/**
 * Runs a challenger: an agent CLI as one user, code of the patch as others. It reports one entry of evidence, or why it could not begin.
 * The CLI holds a gateway token of its attempt, and nothing else.
 */
export async function runChallenger(
  assignment: ChallengerAssignment,
  box: ContainerWorkContext,
): Promise<void> {
  const client = createContainerApiClient(assignment);
  try {
    const found = await challenge(assignment, box, client);
    const entry = { ...found, facts: { tool: 'model', tool_version: assignment.model, ...found.facts } };
    // A program that was stopped says nothing of the patch.
    if (box.abort.aborted) await postInterruption(client);
    else await client.post('challenge', { entry });
  } catch (error) {
    if (box.abort.aborted) return postInterruption(client);
    if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
    await client.post('challenge', {
      failure_code: error.failureClass,
      message: error.message.slice(0, 4_000),
    });
  }
}

async function postInterruption(client: ReturnType<typeof createContainerApiClient>): Promise<void> {
  await client.post(
    'challenge',
    { failure_code: 'interrupted', message: 'the container was told to end' },
    { retryForMs: 30_000 },
  );
}

async function challenge(
  assignment: ChallengerAssignment,
  box: ContainerWorkContext,
  client: ReturnType<typeof createContainerApiClient>,
) {
  const { base_commit: base, tree, files, expected_changes, judge_access } = assignment;
  const [agentUser = null, ...sandboxUsers] = box.users ?? [];
  if (box.users && sandboxUsers.length === 0)
    throw new Error('the container has no user left for code of the patch beside that of the agent CLI');
  const store = await rebuildSubmittedTree(assignment, box);
  const task = {
    title: assignment.title,
    description: assignment.description,
    acceptanceCriteria: assignment.acceptance_criteria,
    files,
  };
  const memory = createS3Cache(client);
  return challengeTree({
    store,
    base,
    tree,
    workDir: box.workDir,
    users: box.users && sandboxUsers,
    abort: box.abort,
    task,
    expected_changes,
    checks: assignment.checks,
    requirements: assignment.requirements,
    mode: assignment.mode,
    judge: await createGatewayJudge({ model_access: judge_access }),
    environmentFolder: null,
    networkByDefault: box.embedded,
    runAgent: (folders, texts) => runAgentCli(assignment, box, agentUser, folders, texts),
    // Later attempts have to pass what is kept, so a challenge that only advises keeps nothing.
    ...(assignment.mode === 'gate' && {
      onHeld: (exams: readonly Exam[]) =>
        keepCounterexamples({ base, task: { ...task, writer: null }, memory }, exams),
    }),
  });
}

type ProcessUserOrNull = NonNullable<ContainerWorkContext['users']>[number] | null;

async function runAgentCli(
  assignment: ChallengerAssignment,
  box: ContainerWorkContext,
  user: ProcessUserOrNull,
  folders: ChallengeFolders,
  { instructions, prompt }: { readonly instructions: string; readonly prompt: string },
): Promise<ChallengerEnd> {
  const { adapter } = assignment;
  const layout: WorkspaceLayout = {
    root: folders.root,
    checkout: folders.answer,
    home: folders.home,
    tmp: folders.tmp,
    // Its tools are not asked about, so nothing of hooks is written.
    hookFolder: join(folders.root, 'hooks'),
    isHookFolderProtected: false,
    promptFile: join(folders.root, 'prompt.md'),
    instructionsFile: join(folders.root, 'instructions.md'),
    usageFile: join(folders.tmp, 'usage.json'),
    approvalFile: join(folders.tmp, 'approval.json'),
  };
  await Promise.all([writeFile(layout.promptFile, prompt), writeFile(layout.instructionsFile, instructions)]);
  const { invoke, readEvent, failureAtExit, stopSignals } = AGENT_ADAPTERS[adapter.kind];
  // Code of the patch reads the arguments of every process, so the prompt is no argument.
  const promptArgument = `Your task is in the file ${layout.promptFile}. Read all of it first, then do what it says.`;
  const invocation = invoke({
    assignment: asAgentAssignment(assignment),
    layout,
    fullPrompt: promptArgument,
    promptArgument,
    modelAccess: assignment.model_access,
    instructions: { role: instructions, repository: null, file: layout.instructionsFile },
    maxCostUsd: null,
    toolHookUrl: null,
    runsAsRoot: !box.users && process.getuid?.() === 0,
  });
  for (const [path, text] of Object.entries(invocation.files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  if (user) {
    await changeOwner(user, [folders.answer, folders.home, folders.tmp, folders.runProgram]);
    // Code of the patch runs meanwhile as other users. The prompt has requirements that it must not read.
    await chown(folders.root, 0, user.gid);
    await chmod(folders.root, 0o710);
  }
  const reading = createAgentRunState();
  const linger = startLingerTimer(performance.now() + adapter.timeout_s * 1_000);
  const watch = readEvent && startWatchdog({ waitingMs: WAITING_MS, silenceMs: SILENCE_MS, maxTurns: null });
  const lines =
    readEvent &&
    new JsonEventStream((event) => {
      // On a signal some print another, worse result.
      if (linger.end.aborted) return;
      reading.waitReason = null;
      reading.waitFailureClass = null;
      readEvent(event, reading);
      watch?.see(reading);
      linger.see(reading);
    });
  const result = await runProcess(
    { argv: invocation.argv },
    {
      cwd: folders.answer,
      env: buildCliEnvironment(layout, {
        ASSAY_PROMPT_FILE: layout.promptFile,
        ASSAY_BASE_FOLDER: folders.base,
        ASSAY_PATCHED_FOLDER: folders.patched,
        ASSAY_ANSWER_FOLDER: folders.answer,
        ASSAY_RUN_PROGRAM: folders.runProgram,
        ...invocation.env,
      }),
      timeoutMs: adapter.timeout_s * 1_000,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      runAs: user,
      exclusiveFolder: folders.root,
      abort: AbortSignal.any([box.abort, linger.end, ...(watch ? [watch.end] : [])]),
      stopSignals,
      graceMs: GRACE_MS,
      ...(lines && {
        onOutput: (chunk: Buffer) => {
          watch?.heard();
          lines.push(chunk);
        },
      }),
    },
  );
  linger.stop();
  watch?.stop();
  lines?.end();
  if (readEvent && result.exitCode !== null && failureAtExit)
    reading.failure = failureAtExit(result.exitCode, reading);
  return describeChallengerEnd(result, readEvent ? { ...reading, isFinished: linger.isFinished() } : null);
}

/** The part of an agent's assignment that adapters make a command line of. */
const asAgentAssignment = (given: ChallengerAssignment): AgentAssignment => ({
  schema_version: 1,
  task_id: given.task_id,
  attempt: given.attempt,
  // Neither is for the CLI.
  api_url: '',
  token: '',
  delete_url: '',
  repository: given.repository,
  read_credential: null,
  kind: 'agent',
  base_commit: given.base_commit,
  title: given.title,
  role: 'qa',
  prompt: {},
  model: given.model,
  effort: 'high',
  adapter: given.adapter,
  test_commands: [],
  model_access: given.model_access,
  heartbeat_s: 60,
});
