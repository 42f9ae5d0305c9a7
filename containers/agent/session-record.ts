import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ContainerApiClient } from '../../shared/api/container-client.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import {
  AGENT_CLI_SESSION_ID_PATTERN,
  MAX_CLI_SESSION_BYTES,
} from '../../shared/control/approvals/cli-session.ts';
import { changeOwner } from '../../workspace/git/change-owner.ts';
import { runProcess } from '../../workspace/process/run-process.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { downloadVerified } from '../../workspace/supervisor/verified-download.ts';
import type { AgentSessionFile, SessionTransferCommands } from './adapters/adapter.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import { buildAgentEnvironment } from './agent-environment.ts';
import type { AgentSession } from './agent-session.ts';
import type { PreparedWorkspace } from './workspace-layout.ts';

/** The agent wrote it: it is no larger than is kept, and neither it nor a folder on the way to it is a link that leads elsewhere. */
async function contentOf(path: string, territory: string): Promise<Buffer | null> {
  if (!(await realpath(path)).startsWith(`${territory}/`)) return null;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size === 0 || stat.size > MAX_CLI_SESSION_BYTES) return null;
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** For so long a CLI may print a session or take one up, in milliseconds. */
const COMMAND_MS = 120_000;

/** What a command of the CLI prints, as the agent; null: it failed, or there is more of it than is kept. */
async function commandOutput(
  argv: readonly string[],
  assignment: AgentAssignment,
  prepared: PreparedWorkspace,
  box: ContainerWorkContext,
): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const tooMuch = new AbortController();
  const { layout } = prepared;
  const { end, exitCode, output } = await runProcess(
    { argv },
    {
      cwd: layout.checkout,
      env: buildAgentEnvironment(assignment, prepared),
      timeoutMs: COMMAND_MS,
      runAs: box.users?.[0] ?? null,
      exclusiveFolder: layout.root,
      abort: AbortSignal.any([box.abort, tooMuch.signal]),
      onOutput: (chunk) => {
        bytes += chunk.length;
        if (bytes > MAX_CLI_SESSION_BYTES) tooMuch.abort();
        else parts.push(chunk);
      },
    },
  );
  if (end === 'exited' && exitCode === 0) return Buffer.concat(parts);
  console.error(`${argv.slice(0, 2).join(' ')}: ${end}: ${output.slice(-300)}`);
  return null;
}

/** What there is of a session; null: nothing that can be kept. */
async function readSessionRecord(
  id: string,
  record: AgentSessionFile | SessionTransferCommands,
  assignment: AgentAssignment,
  prepared: PreparedWorkspace,
  box: ContainerWorkContext,
): Promise<Buffer | null> {
  if ('exportCommand' in record) {
    const printed = await commandOutput(record.exportCommand(id), assignment, prepared, box);
    return printed && printed.length > 0 ? printed : null;
  }
  const { folder, end } = record.location(prepared.layout, id);
  const found = (await readdir(folder, { recursive: true })).find((path) => `/${path}`.endsWith(end));
  return found === undefined ? null : contentOf(join(folder, found), prepared.layout.root);
}

/**
 * Hands in what the CLI has written down of the session that ended with a question. Null: it keeps none, or none that can be had; then
 * another box starts anew with what was changed and decided, so nothing is lost that matters.
 */
export async function uploadSessionRecord(
  client: ContainerApiClient,
  assignment: AgentAssignment,
  prepared: PreparedWorkspace,
  box: ContainerWorkContext,
  { runState }: AgentSession,
): Promise<{ readonly id: string; readonly sha256: string } | null> {
  const { adapter, model_access: models } = assignment;
  const { sessionRecord } = AGENT_ADAPTERS[adapter.kind];
  const id = runState?.sessionId ?? null;
  if (!sessionRecord || id === null || !AGENT_CLI_SESSION_ID_PATTERN.test(id)) return null;
  try {
    const content = await readSessionRecord(id, sessionRecord, assignment, prepared, box);
    if (!content) return null;
    const text = content.toString('utf8');
    // What the agent was given for models dies with this box, and is in no record.
    const kept = models ? text.replaceAll(models.token, '[token of the attempt]') : text;
    return { id, sha256: await client.upload('session', Buffer.from(kept)) };
  } catch (error) {
    console.error(`the session is not kept: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** Puts the record of a session where the CLI of this box looks for it. False: there is none, or it cannot be had. */
export async function restoreSessionRecord(
  assignment: AgentAssignment,
  prepared: PreparedWorkspace,
  box: ContainerWorkContext,
): Promise<boolean> {
  const { adapter, resumed_session: resumed } = assignment;
  const { layout } = prepared;
  const { sessionRecord, resumeCommand } = AGENT_ADAPTERS[adapter.kind];
  if (!resumed || !sessionRecord || !resumeCommand || !AGENT_CLI_SESSION_ID_PATTERN.test(resumed.session))
    return false;
  try {
    const content = await downloadVerified(
      { url: resumed.url, sha256: resumed.sha256, most: MAX_CLI_SESSION_BYTES },
      (_why, detail) => new Error(`what was kept ${detail}`),
    );
    const isFile = 'restorePath' in sessionRecord;
    const path = isFile
      ? sessionRecord.restorePath(layout, resumed.session, await realpath(layout.checkout))
      : join(layout.home, 'session.json');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
    const user = box.users?.[0];
    if (user) await changeOwner(user, [layout.home]);
    return (
      isFile || (await commandOutput(sessionRecord.importCommand(path), assignment, prepared, box)) !== null
    );
  } catch (error) {
    console.error(
      `the session cannot be gone on with: ${error instanceof Error ? error.message : String(error)}`,
    );
    return false;
  }
}
