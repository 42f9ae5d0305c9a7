import { constants, watch } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ApprovalRequest } from '../../shared/contract/approval/schema.ts';

/** Set for the agent: where it writes what it wants leave for (docs/how-to/approvals.md). */
export const APPROVAL_FILE_VARIABLE = 'ASSAY_APPROVAL_FILE';

/** Said to every agent. */
export const APPROVAL_INSTRUCTIONS = `## Leave for what a person must allow
Before you deploy, change a database, delete data, push, send anything to somebody outside, or spend money, ask for leave: write
{"action": "deploy:production", "title": "what you want to do", "description": "why, and what it changes"}
as JSON into the file that the environment variable ${APPROVAL_FILE_VARIABLE} names, and end. You are started again with the answer, and what you have changed is still there.
`;

/** Largest question in bytes that is read. */
const MAX_BYTES = 16 * 1_024;

/** What stands in the file; null where there is none, or none that can be read. The agent may have put a link or a pipe there; neither is followed or waited for. */
async function contentOf(path: string): Promise<unknown> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return null;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      return JSON.parse(buffer.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    // Not there, or not written to its end: it is looked at again when it changes, and when the agent has ended.
    return null;
  }
}

/** Tells the agent what is wrong with its question, in a file beside it. */
async function writeRequestError(path: string, message: string): Promise<void> {
  console.error(`what the agent asks cannot be read: ${message}`);
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const file = await open(`${path}.error`, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
    await file.writeFile(`${message}\n`).finally(() => file.close());
  } catch (error) {
    console.error(`it cannot be told: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What the agent asks leave for; null: nothing. */
export async function readApprovalRequest(path: string): Promise<ApprovalRequest | null> {
  const content = await contentOf(path);
  if (content === null) return null;
  // Loaded only now: most of a box's time is its start.
  const { parseApprovalRequest } = await import('../../shared/control/approvals/parse-approval-request.ts');
  const read = parseApprovalRequest(content);
  if ('ask' in read) return read.ask;
  await writeRequestError(path, read.wrong);
  return null;
}

/** Watches for a question: `asked` fires with it as its reason. */
export function watchApprovalRequest(path: string): { readonly asked: AbortSignal; stop(): void } {
  const asked = new AbortController();
  const watcher = watch(dirname(path), (_, name) => {
    if (name !== null && name !== basename(path)) return;
    void readApprovalRequest(path).then((ask) => ask && asked.abort(ask));
  });
  // A folder that cannot be watched any more: what is there is read when the agent has ended.
  watcher.on('error', () => watcher.close());
  return { asked: asked.signal, stop: () => watcher.close() };
}

/** Takes away what has been answered. */
export const removeApprovalRequest = (path: string): Promise<unknown> =>
  Promise.all([rm(path, { force: true }), rm(`${path}.error`, { force: true })]);
