const SUBMODULE = '160000';
const NEWLINE = 0x0a;

export interface ChangedSubmodule {
  /** As git shows it, quoted where it is odd. */
  readonly path: string;
  /** The base has none there. */
  readonly isNew: boolean;
}

/**
 * Takes the output of `git diff-index --patch-with-raw` apart: a line for each change, an empty line, and the patch.
 * @returns the patch, and the first submodule that was added, removed or moved to another commit.
 */
export function splitRawPatch(output: Buffer): {
  readonly patch: Buffer;
  readonly submodule: ChangedSubmodule | null;
} {
  let submodule: ChangedSubmodule | null = null;
  let at = 0;
  while (output[at] === 0x3a) {
    const end = output.indexOf(NEWLINE, at);
    const stop = end < 0 ? output.length : end;
    const [facts = '', ...paths] = output.toString('utf8', at + 1, stop).split('\t');
    const [before, after] = facts.split(' ');
    if (before === SUBMODULE || after === SUBMODULE)
      submodule ??= { path: paths.at(-1) ?? '', isNew: before !== SUBMODULE };
    at = stop + 1;
  }
  if (at > 0 && output[at] === NEWLINE) at++;
  return { patch: output.subarray(Math.min(at, output.length)), submodule };
}
