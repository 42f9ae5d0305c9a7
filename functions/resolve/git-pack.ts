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

/**
 * The objects of a pack, by id. An id is worked out from the content, so no server can pass one object off as another.
 * @throws TooLarge where an object is larger than `maxBytes`, Error where it is no pack, or one is told as a difference to another.
 */
export async function parsePack(
  pack: Buffer,
  algorithm: 'sha1' | 'sha256',
  maxBytes: number,
): Promise<ReadonlyMap<string, GitObject>> {
  if (pack.length < HEADER_BYTES || pack.toString('latin1', 0, 4) !== 'PACK')
    throw new Error('the answer of the server holds no pack');
  const objects = new Map<string, GitObject>();
  let at = HEADER_BYTES;
  for (let left = pack.readUInt32BE(8); left > 0; left--) {
    const kind = KINDS[((pack[at] ?? 0) >> 4) & 7];
    if (kind === undefined)
      throw new Error('the server sent a difference between objects, where one object was asked for');
    // The length within is of no use: what comes out of the stream is the object.
    while (((pack[at++] ?? 0) & 0x80) !== 0);
    const { content, consumed } = await inflated(pack.subarray(at), maxBytes);
    at += consumed;
    const id = createHash(algorithm).update(`${kind} ${content.length}\0`).update(content).digest('hex');
    objects.set(id, { id, kind, content });
  }
  return objects;
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
export interface TreeEntry {
  /** As git writes it: 40000 for a folder, 100644 and 100755 for files. */
  readonly mode: string;
  readonly id: string;
}

/** What a folder holds, by name. @throws Error where it is cut off. */
export function parseTree(tree: Buffer, algorithm: 'sha1' | 'sha256'): ReadonlyMap<string, TreeEntry> {
  const idBytes = algorithm === 'sha1' ? 20 : 32;
  const entries = new Map<string, TreeEntry>();
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
