/** A user that commands of a repository run as, when the supervisor may change it. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/** Most users that a range may name: more than a box has rooms open at once, few enough to be listed. */
const MAX_USERS = 1_024;

/**
 * Reads `uid:gid`, or `first-last`, a range of users whose group has their own number. Null when absent, or when this process is not
 * root and so cannot change user: then everything runs as whoever started it, and nothing is promised between commands.
 * @throws on anything malformed.
 */
export function parseProcessUsers(value: string | undefined): readonly ProcessUser[] | null {
  if (value === undefined || value === '') return null;
  const [, uid, sign, other] = /^(\d{1,9})([:-])(\d{1,9})$/.exec(value) ?? [];
  const [first, last] = [Number(uid), Number(other)];
  const count = sign === '-' ? last - first + 1 : 1;
  if (sign === undefined || count < 1 || count > MAX_USERS)
    throw new Error(`must be uid:gid or first-last, but is "${value}"`);
  if (first === 0) throw new Error(`must not be root, but is "${value}"`);
  if (process.getuid?.() !== 0) return null;
  return sign === ':'
    ? [{ uid: first, gid: last }]
    : Array.from({ length: count }, (_, index) => ({ uid: first + index, gid: first + index }));
}
