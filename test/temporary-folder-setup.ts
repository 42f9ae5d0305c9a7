import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReachableByAnyUser } from './support/world-readable.ts';

/**
 * All that tests leave behind lies in one folder, which goes with them. Root tests boxes whose commands are other users: those must be able
 * to walk through it, so it does not lie in a folder that is closed to them, such as root's own.
 */
export default function setup(): () => void {
  const isRoot = process.getuid?.() === 0;
  const place = [tmpdir(), '/tmp', '/var/tmp'].find(
    (each) => !isRoot || isReachableByAnyUser(join(each, 'x')),
  );
  if (place === undefined) throw new Error(`other users can reach neither ${tmpdir()} nor /tmp`);
  const folder = mkdtempSync(join(place, 'assay-tests-'));
  if (isRoot) chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
