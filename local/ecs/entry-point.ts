/** What `env` at the head of an entry point takes from the environment and sets in it. */
export interface EntryPoint {
  readonly unset: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

/** Of the machine that a container would be; here the programs are those of this one. */
const OF_THE_IMAGE = new Set(['PATH', 'TMPDIR']);

/**
 * Reads `/usr/bin/env [-u NAME]… [NAME=VALUE]… node /app/main.mjs`; none stands for that of the image, which is the program alone.
 * @throws Error for any other, which could not be kept to here.
 */
export function entryPointOf(words: readonly string[], where: string): EntryPoint {
  if (words.length === 0) return { unset: [], set: {} };
  const rest = words.slice(1, -2);
  const program = words.slice(-2).map((word) => word.split('/').at(-1));
  const unset: string[] = [];
  const set: Record<string, string> = {};
  let known = words[0] === '/usr/bin/env' && program.join(' ') === 'node main.mjs';
  while (known && rest.length > 0) {
    const word = rest.shift() ?? '';
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    if (word === '-u' && rest.length > 0) unset.push(rest.shift() ?? '');
    else if (name !== undefined && value !== undefined) set[name] = value;
    else known = false;
  }
  if (!known)
    throw new Error(
      `${where}: EntryPoint has to be env, what it sets, and node /app/main.mjs in the embedded default`,
    );
  for (const name of OF_THE_IMAGE) delete set[name];
  return { unset, set };
}
