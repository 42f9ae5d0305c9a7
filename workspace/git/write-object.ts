import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { GitStore } from './git-store.ts';

/** Writes one object as git does, and gives its id. A process of git for each took longer than all else about a small tree. */
export function writeObject(
  { dir, format }: GitStore,
  type: 'blob' | 'tree' | 'commit',
  content: Buffer,
): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash(format).update(whole).digest('hex');
  const folder = join(dir, 'objects', id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return id;
  mkdirSync(folder, { recursive: true });
  // It gets its name when it is whole: others read the store meanwhile. What is left of one that was cut off git removes by this name.
  const unfinished = join(folder, `tmp_obj_${randomUUID()}`);
  writeFileSync(unfinished, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  renameSync(unfinished, path);
  return id;
}
