import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Puts a program of this name first on the PATH that it answers with: a shell script that may do as a CLI does. */
export function fakeCli(folder: string, name: string, script: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const file = join(bin, name);
  writeFileSync(file, `#!/usr/bin/env bash\n${script}\n`);
  chmodSync(file, 0o755);
  return `${bin}:${process.env['PATH'] ?? ''}`;
}
