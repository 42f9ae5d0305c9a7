import { expandBraces, TooManyGlobAlternativesError } from './expand-braces.ts';
import { type GlobSegment, isSegmentMatch, parseGlobSegment } from './segment.ts';

export type PathMatcher = (path: string) => boolean;

/**
 * Compiles a glob for whole paths. `*` and `?` stand for any character of a name, line breaks and bytes that are no text
 * included; `**` between slashes for any number of folders, none too; `[a-z]`, `[!a]`, `{a,b}`, `{1..3}` and `\` as in a shell.
 * Parentheses are plain characters. A folder with a slash at its end means all that is in it. The time is at most the length
 * of the path times that of the glob, whatever the path.
 * @param dot whether `*`, `?`, classes and `**` match names that begin with a dot.
 * @throws TooManyGlobAlternativesError
 */
export function compileGlob(glob: string, { dot }: { readonly dot: boolean }): PathMatcher {
  const matches = compileNames(glob, dot);
  return (path) => matches(namesOf(path));
}

/** The names of a path, each as its characters. */
type PathNames = readonly (readonly string[])[];

function compileNames(glob: string, dot: boolean): (names: PathNames) => boolean {
  const alternatives = expandBraces(glob).map((each) =>
    `${each}${each.endsWith('/') ? '**' : ''}`
      .split('/')
      .filter((segment) => segment !== '')
      .map(parseGlobSegment),
  );
  return (names) => alternatives.some((segments) => matchesPath(segments, names, dot));
}

const namesOf = (path: string): PathNames =>
  path
    .split('/')
    .filter((name) => name !== '')
    .map((name) => [...name]);

function matchesPath(segments: readonly GlobSegment[], names: PathNames, dot: boolean): boolean {
  // Most paths end in another name: that is the quickest to be seen.
  const last = segments.at(-1);
  if (last !== undefined && last !== '**' && !isSegmentMatch(last, names.at(-1) ?? [], dot)) return false;
  /** Whether the segments so far can match the first n names. */
  let reached = [true, ...names.map(() => false)];
  for (const segment of segments) {
    const next = reached.map(() => false);
    if (segment === '**') {
      let open = false;
      for (const [index, here] of reached.entries()) {
        // It may end before any name, and go on over every one that is not hidden.
        open = here || (open && (dot || names[index - 1]?.[0] !== '.'));
        next[index] = open;
      }
    } else
      for (const [index, name] of names.entries())
        if (reached[index]) next[index + 1] = isSegmentMatch(segment, name, dot);
    if (!next.includes(true)) return false;
    reached = next;
  }
  return reached.at(-1) === true;
}

/** A path as readers see it that know no case and no Unicode form: those of Windows and macOS. */
export const foldPathCase = (path: string): string => path.normalize('NFC').toLowerCase().normalize('NFC');

/**
 * Whether a path is meant by a list of globs: by one without `!` in front, or by any when there is none, and by none of those with it.
 * A path that differs only in case or Unicode form is meant too, and excluded only when it is written as the glob says: nobody gets
 * out of sight by writing a name in another way.
 */
export function compilePathFilter(globs: readonly string[]): PathMatcher {
  const compile = (glob: string) => compileNames(glob.replace(FROM_ROOT, ''), true);
  const wanted = globs.filter((glob) => !glob.startsWith('!'));
  const exact = wanted.map(compile);
  const folded = wanted.map((glob) => compile(foldPathCase(glob)));
  const excluded = globs.filter((glob) => glob.startsWith('!')).map((glob) => compile(glob.slice(1)));
  return (path) => {
    const names = namesOf(path);
    if (excluded.some((matches) => matches(names))) return false;
    if (wanted.length === 0 || exact.some((matches) => matches(names))) return true;
    const other = namesOf(foldPathCase(path));
    return folded.some((matches) => matches(other));
  };
}

/** What stands before a glob that is meant from the root of the repository. */
const FROM_ROOT = /^(?:\.?\/)+/;

/** The folders before the first name with a wildcard: nothing outside of them can match. */
export function literalFolderPrefix(glob: string): string {
  const names = glob.split('/');
  const first = names.findIndex((name) => /[*?[{\\]/.test(name));
  return names.slice(0, first < 0 ? -1 : first).join('/');
}

/** Says why a glob is refused, or null: unbalanced brackets and braces match nothing and hide mistakes. */
export function invalidGlobReason(glob: string): string | null {
  for (const [open, close] of [
    ['[', ']'],
    ['{', '}'],
    ['(', ')'],
  ] as const) {
    let depth = 0;
    for (let index = 0; index < glob.length; index++) {
      const character = glob[index];
      if (character === open) depth++;
      else if (character === close && --depth < 0) break;
    }
    if (depth !== 0) return `has an unbalanced "${open}"`;
  }
  try {
    expandBraces(glob);
    return null;
  } catch (error) {
    if (error instanceof TooManyGlobAlternativesError) return error.message;
    throw error;
  }
}
