/** The user that commands of a repository run as, when the supervisor may change it. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** Reads `uid:gid`. Null when absent, or when this process is not root and so cannot change user. Throws on anything malformed. */
export function parseRunAs(value: string | undefined): RunAs | null {
  if (value === undefined || value === '') return null;
  const match = /^(\d{1,10}):(\d{1,10})$/.exec(value);
  if (!match) throw new Error(`must be uid:gid, but is "${value}"`);
  if (process.getuid?.() !== 0) return null;
  return { uid: Number(match[1]), gid: Number(match[2]) };
}
