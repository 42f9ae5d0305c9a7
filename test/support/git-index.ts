import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { GitTreeEntry } from './git-objects.ts';

/** A file of an index, with what tells git that it has not changed since. */
export interface GitIndexEntry extends GitTreeEntry {
  readonly stat: BigIntStats;
}

const NANO = 1_000_000_000n;
/** Bytes of an entry before its name. */
const FIXED = 62;

/** An index of the second version. https://git-scm.com/docs/index-format */
export function encodeGitIndex(files: ReadonlyMap<string, GitIndexEntry>): Buffer {
  const head = Buffer.alloc(12);
  head.write('DIRC');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(files.size, 8);
  const entries = [...files]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, entry]) => entryOf(Buffer.from(path, 'latin1'), entry));
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function entryOf(path: Buffer, { mode, id, stat }: GitIndexEntry): Buffer {
  // At least one zero behind the name, and a multiple of eight in all.
  const entry = Buffer.alloc((FIXED + path.length + 8) & ~7);
  const numbers = [
    stat.ctimeNs / NANO,
    stat.ctimeNs % NANO,
    stat.mtimeNs / NANO,
    stat.mtimeNs % NANO,
    stat.dev,
    stat.ino,
    BigInt(`0o${mode}`),
    stat.uid,
    stat.gid,
    stat.size,
  ];
  for (const [at, number] of numbers.entries())
    entry.writeUInt32BE(Number(BigInt.asUintN(32, number)), at * 4);
  entry.write(id, 40, 'hex');
  entry.writeUInt16BE(Math.min(path.length, 0xfff), 60);
  path.copy(entry, FIXED);
  return entry;
}
