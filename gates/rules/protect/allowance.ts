import type { Expectation, ProtectedClass } from '../../../shared/contract/submission/expects.ts';
import { compileGlob } from '../../../shared/lib/glob/glob.ts';

/** What is known beforehand of the files that steer checks. */
export interface Foreseen {
  /** Files that the task names. A folder names nothing that is in it. */
  readonly files: readonly string[];
  /** Kinds of change that the task foresees. */
  readonly expects: readonly Expectation[];
  /** Globs of the base commit's `protected: allow:`. */
  readonly allow: readonly string[];
}

/** What allows a patch to change a file that steers checks, in words for the evidence; null: nothing does. */
export type Allowance = (path: string, kind: ProtectedClass) => string | null;

export function allowanceOf({ files, expects, allow }: Foreseen): Allowance {
  const named = new Set(files);
  const foreseen: ReadonlySet<string> = new Set(expects);
  const globs = allow.map((glob) => ({ glob, matches: compileGlob(glob, { dot: true }) }));
  return (path, kind) => {
    if (named.has(path)) return 'files of the task';
    if (foreseen.has(kind)) return `expects: ${kind}`;
    const glob = globs.find(({ matches }) => matches(path))?.glob;
    return glob === undefined ? null : `protected.allow of the base: ${glob}`;
  };
}
