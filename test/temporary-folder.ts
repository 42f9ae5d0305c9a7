import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** All that tests leave behind lies in one folder, which goes with them. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'assay-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
