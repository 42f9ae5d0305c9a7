import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { CommandAdapterUsageFile } from '../../shared/contract/messages/assignment.ts';

/** Largest usage file in bytes that is read. */
const MAX_BYTES = 64 * 1024;

/** What the agent left in its usage file; empty when it left nothing, or nothing that can be read. A claim, whatever it says. */
export async function readUsageFile(path: string): Promise<CommandAdapterUsageFile> {
  try {
    // The agent may have put a link or a pipe there; neither is followed or waited for.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return {};
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      // Loaded only now: most of a box's time is its start.
      const { CommandAdapterUsageFile: schema } = await import(
        '../../shared/contract/messages/assignment.ts'
      );
      return schema.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead)));
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      console.error(
        `the usage file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    return {};
  }
}
