import {
  FileTooLargeError,
  type RemoteFilesReader,
  RepositoryUnavailableError,
} from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import { type GitObject, type GitPackLimits, parseGitTree, readGitPack } from './git-pack.ts';
import { DELIMITER_PACKET, FLUSH_PACKET, formatGitPacket, type GitPacket } from './pkt-line.ts';
import { ResponseTooLargeError } from './response-too-large.ts';

/** Puts one request of git's protocol 2 to the repository. @throws RepositoryUnavailableError */
export type GitTransport = (
  repository: string,
  request: Buffer,
  authorization: string | null,
) => Promise<readonly GitPacket[]>;

/** Largest folder that is read, some 30,000 names, and so largest file. */
const MAX_OBJECT_BYTES = 2 * 1_048_576;
/** A commit and its root folder, or one object; some servers send a few more. */
const LIMITS: GitPackLimits = {
  maxObjectBytes: MAX_OBJECT_BYTES,
  maxTotalBytes: 2 * MAX_OBJECT_BYTES,
  maxObjects: 64,
};
const DATA = 1;
const ERROR = 3;

/** Asks for one object, and where it is a commit, for its root folder with it: never for history, never for what is in a folder. */
const requestFor = (id: string, algorithm: string, isCommit: boolean): Buffer =>
  Buffer.from(
    [
      formatGitPacket('command=fetch'),
      formatGitPacket(`object-format=${algorithm}`),
      DELIMITER_PACKET,
      formatGitPacket('no-progress'),
      ...(isCommit
        ? [formatGitPacket('deepen 1'), formatGitPacket('filter tree:1')]
        : [formatGitPacket('filter tree:0')]),
      formatGitPacket(`want ${id}`),
      formatGitPacket('done'),
      FLUSH_PACKET,
    ].join(''),
  );

/** The pack within an answer. */
function packOf(answer: readonly GitPacket[]): Buffer {
  const start = answer.findIndex((each) => typeof each !== 'string' && each.text === 'packfile');
  const parts: Buffer[] = [];
  for (const each of start < 0 ? [] : answer.slice(start + 1)) {
    if (typeof each === 'string') break;
    if (each.bytes[0] === ERROR)
      throw new Error(`the server says: ${each.bytes.toString('utf8', 1).trim().slice(0, 500)}`);
    if (each.bytes[0] === DATA) parts.push(each.bytes.subarray(1));
  }
  return Buffer.concat(parts);
}

/** Id of the root folder of a commit; undefined for anything else. */
const rootOf = (object: GitObject | undefined): string | undefined =>
  object?.kind === 'commit' ? /^tree ([0-9a-f]+)\n/.exec(object.content.toString('latin1'))?.[1] : undefined;

/**
 * Reads single files of a commit from a server, as git does in a partial clone: one small request for each folder on the way, and
 * one for each file. A link is no file.
 */
export const createRemoteFilesReader =
  (transport: GitTransport): RemoteFilesReader =>
  async (repository, commit, paths, authorization) => {
    const algorithm = commit.length === 64 ? 'sha256' : 'sha1';
    const known = new Map<string, GitObject>();
    const fetched = async (id: string, isCommit = false): Promise<Buffer> => {
      if (!known.has(id))
        try {
          const answer = await transport(repository, requestFor(id, algorithm, isCommit), authorization);
          const wanted = new Set([id]);
          for await (const each of readGitPack(packOf(answer), algorithm, LIMITS)) {
            if (!wanted.delete(each.id)) continue;
            known.set(each.id, each);
            const root = isCommit ? rootOf(each) : undefined;
            if (root !== undefined) wanted.add(root);
            if (wanted.size === 0) break;
          }
        } catch (error) {
          if (error instanceof RepositoryUnavailableError) throw error;
          throw new RepositoryUnavailableError(error instanceof Error ? error.message : String(error), false);
        }
      const found = known.get(id);
      if (!found) throw new RepositoryUnavailableError(`the server did not send ${id}`, false);
      return found.content;
    };
    await fetched(commit, true);
    const root = rootOf(known.get(commit));
    if (root === undefined) throw new RepositoryUnavailableError(`${commit} is no commit`, false);

    const read = async (path: string): Promise<string | null> => {
      const folders = path.split('/');
      const name = folders.pop() ?? '';
      let folder = root;
      for (const each of folders) {
        const entry = parseGitTree(await fetched(folder), algorithm).get(each);
        if (entry?.mode !== '40000') return null;
        folder = entry.id;
      }
      const file = parseGitTree(await fetched(folder), algorithm).get(name);
      if (!file?.mode.startsWith('100')) return null;
      try {
        return (await fetched(file.id)).toString('utf8');
      } catch (error) {
        throw error instanceof ResponseTooLargeError ? new FileTooLargeError(path, error.message) : error;
      }
    };
    const files = new Map<string, string | null>();
    // In order: paths share folders, and what was fetched is not asked for again.
    for (const path of paths) files.set(path, await read(path));
    return files;
  };
