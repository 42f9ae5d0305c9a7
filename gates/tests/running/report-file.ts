import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Largest report in bytes. */
const MAX_REPORT_BYTES = 32 * 1_048_576;

/**
 * Text of a file that a command wrote. The command may have put anything in its place, so no link is followed, nothing but a
 * regular file is opened, and no more is read than a report may have.
 * @throws when there is none, or it is too large.
 */
export async function readReportFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new Error('the report is not a regular file');
    if (facts.size > MAX_REPORT_BYTES) throw new Error(`the report is over ${MAX_REPORT_BYTES} bytes`);
    const content = Buffer.alloc(facts.size);
    let length = 0;
    while (length < content.length) {
      const { bytesRead } = await file.read(content, length, content.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return content.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}
