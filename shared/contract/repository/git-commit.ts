import { createHash } from 'node:crypto';

export interface CommitFields {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
  /** `Name <address>`. */
  readonly author: string;
  /** ISO 8601; author and committer date. */
  readonly at: string;
}

/** A commit as git stores it. */
export function encodeCommit({ tree, parent, message, author, at }: CommitFields): Buffer {
  const who = `${author} ${Math.floor(Date.parse(at) / 1_000)} +0000`;
  return Buffer.from(`tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\n${message}`);
}

/** Its id: by this the platform knows a branch of its own again without any object of the repository. */
export function computeCommitId(fields: CommitFields): string {
  const object = encodeCommit(fields);
  return createHash(fields.tree.length === 64 ? 'sha256' : 'sha1')
    .update(`commit ${object.length}\0`)
    .update(object)
    .digest('hex');
}
