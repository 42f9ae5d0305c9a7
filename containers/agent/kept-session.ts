import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { handOver } from '../../gates/checkout/hand-over.ts';
import type { BoxClient } from '../../shared/api/box-client.ts';
import { MAX_SESSION_BYTES, SESSION_ID } from '../../shared/approval/session.ts';
import type { AgentAssignment } from '../../shared/messages/assignment.ts';
import type { Box } from '../supervisor/box.ts';
import { fetchPromised } from '../supervisor/patch.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import type { Prepared } from './places.ts';
import type { Session } from './session.ts';

/** The agent wrote it: it is no larger than is kept, and neither it nor a folder on the way to it is a link that leads elsewhere. */
async function contentOf(path: string, territory: string): Promise<Buffer | null> {
  if (!(await realpath(path)).startsWith(`${territory}/`)) return null;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size === 0 || stat.size > MAX_SESSION_BYTES) return null;
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Hands in what the CLI has written down of the session that ended with a question. Null: it keeps none, or none that can be had; then
 * another box starts anew with what was changed and decided, so nothing is lost that matters.
 */
export async function handInSession(
  client: BoxClient,
  { adapter, models }: Pick<AgentAssignment, 'adapter' | 'models'>,
  { places }: Prepared,
  { reading }: Session,
): Promise<{ readonly id: string; readonly sha256: string } | null> {
  const { record } = AGENT_ADAPTERS[adapter.kind];
  const id = reading?.session ?? null;
  if (!record || id === null || !SESSION_ID.test(id)) return null;
  try {
    const { folder, end } = record.lies(places, id);
    const found = (await readdir(folder, { recursive: true })).find((path) => `/${path}`.endsWith(end));
    const content = found === undefined ? null : await contentOf(join(folder, found), places.territory);
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
export async function putSession(
  { adapter, resumed }: Pick<AgentAssignment, 'adapter' | 'resumed'>,
  { places }: Prepared,
  box: Box,
): Promise<boolean> {
  const { record, resume } = AGENT_ADAPTERS[adapter.kind];
  if (!resumed || !record || !resume || !SESSION_ID.test(resumed.session)) return false;
  try {
    const content = await fetchPromised(
      { url: resumed.url, sha256: resumed.sha256, most: MAX_SESSION_BYTES },
      (_why, detail) => new Error(`what was kept ${detail}`),
    );
    const path = record.goes(places, resumed.session, await realpath(places.checkout));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
    const user = box.users?.[0];
    if (user) await handOver(user, [places.home]);
    return true;
  } catch (error) {
    console.error(
      `the session cannot be gone on with: ${error instanceof Error ? error.message : String(error)}`,
    );
    return false;
  }
}
