import { createHash } from 'node:crypto';
import { createInflate } from 'node:zlib';
import { ResponseTooLargeError } from './response-too-large.ts';

/** An object of a repository, as a pack brings it. */
export interface GitObject {
  readonly id: string;
  readonly kind: 'commit' | 'tree' | 'blob' | 'tag';
  readonly content: Buffer;
}

/** Numbers of the kinds in a pack; those above are differences to other objects, which a server has no reason to send here. */
const KINDS: Readonly<Record<number, GitObject['kind']>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const HEADER_BYTES = 12;

export interface GitPackLimits {
  /** Most bytes of one object. */
  readonly maxObjectBytes: number;
  /** Most bytes of all objects that are read of the pack, unpacked. */
  readonly maxTotalBytes: number;
  /** Most objects that are read. */
  readonly maxObjects: number;
}

/**
 * Yields the objects of a pack in its order. A caller that has what it wants stops, and the rest is not unpacked. An id is computed from
 * the content, so no server can pass one object off as another.
 * @throws ResponseTooLargeError where an object is larger than allowed, Error where the objects together are, where it is no pack, or where
 * one is told as a difference to another.
 */
export async function* readGitPack(
  pack: Buffer,
  algorithm: 'sha1' | 'sha256',
  { maxObjectBytes, maxTotalBytes, maxObjects }: GitPackLimits,
): AsyncGenerator<GitObject> {
  if (pack.length < HEADER_BYTES || pack.toString('latin1', 0, 4) !== 'PACK')
    throw new Error('the answer of the server holds no pack');
  let at = HEADER_BYTES;
  let bytes = 0;
  const count = pack.readUInt32BE(8);
  for (let read = 0; read < count; read++) {
    if (read >= maxObjects) throw new Error(`the server sent ${count} objects, more than it was asked for`);
    const kind = KINDS[((pack[at] ?? 0) >> 4) & 7];
    if (kind === undefined)
      throw new Error('the server sent a difference between objects, where one object was asked for');
    // The length within is of no use: what comes out of the stream is the object.
    while (((pack[at++] ?? 0) & 0x80) !== 0);
    const { content, consumed } = await inflated(pack.subarray(at), maxObjectBytes);
    at += consumed;
    bytes += content.length;
    if (bytes > maxTotalBytes) throw new Error(`the server sent more than ${maxTotalBytes} bytes of objects`);
    const id = createHash(algorithm).update(`${kind} ${content.length}\0`).update(content).digest('hex');
    yield { id, kind, content };
  }
}

/** What the stream at the beginning of `bytes` holds, and how long it is. @throws Error where it is none, or holds too much. */
async function inflated(
  bytes: Buffer,
  maxBytes: number,
): Promise<{ readonly content: Buffer; readonly consumed: number }> {
  const stream = createInflate();
  stream.end(bytes);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new ResponseTooLargeError(`an object has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { content: Buffer.concat(chunks), consumed: stream.bytesWritten };
}

/** An entry of a tree. */
export interface GitPackTreeEntry {
  /** As git writes it: 40000 for a folder, 100644 and 100755 for files. */
  readonly mode: string;
  readonly id: string;
}

/** What a folder holds, by name. @throws Error where it is cut off. */
export function parseGitTree(
  tree: Buffer,
  algorithm: 'sha1' | 'sha256',
): ReadonlyMap<string, GitPackTreeEntry> {
  const idBytes = algorithm === 'sha1' ? 20 : 32;
  const entries = new Map<string, GitPackTreeEntry>();
  let at = 0;
  while (at < tree.length) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0 || end + 1 + idBytes > tree.length) throw new Error('a folder is cut off');
    entries.set(tree.toString('utf8', space + 1, end), {
      mode: tree.toString('latin1', at, space),
      id: tree.toString('hex', end + 1, end + 1 + idBytes),
    });
    at = end + 1 + idBytes;
  }
  return entries;
}
