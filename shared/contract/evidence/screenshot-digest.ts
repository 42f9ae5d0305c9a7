import { createHash } from 'node:crypto';
import type { Screenshot } from '../screenshot.ts';

/** Whether these bytes are the picture that the evidence tells of: whoever reads one asks before it believes it. */
export const hasScreenshotDigest = (bytes: Uint8Array, shot: Pick<Screenshot, 'sha256' | 'bytes'>): boolean =>
  bytes.length === shot.bytes && createHash('sha256').update(bytes).digest('hex') === shot.sha256;
