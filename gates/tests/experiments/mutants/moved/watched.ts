import type { PatchSubject } from '../../../../core/patch-subject.ts';
import { withFunctions } from '../functions.ts';
import { type Extent, WITH_BESIDE } from './extent.ts';
import { watchedJavascript } from './javascript.ts';
import { watchedPython } from './python.ts';

/** Variable of the environment that names the file into which watched functions write. */
export const MOVED = 'ASSAY_MOVED';

/** What a function, by its file and name, answers to what. */
export type Answers = ReadonlyMap<string, Readonly<Record<string, string>>>;

export interface WatchOptions {
  /** What they answer in the place of their own: a test that stops at the first difference would ask for no more. */
  readonly answers?: Answers;
  readonly extent?: Extent;
}

/**
 * A tree whose functions write down what tests ask of them, what they answer, and what they answer to what lies beside that. Only in
 * Python and JavaScript, where a value can be moved without knowing its type beforehand.
 * @param computing files whose functions may be asked for anything.
 */
export const watched = (
  subject: Pick<PatchSubject, 'store'>,
  tree: string,
  computing: ReadonlySet<string>,
  { answers = new Map(), extent = WITH_BESIDE }: WatchOptions = {},
): Promise<string | null> =>
  withFunctions(subject, tree, {
    inFunctions: ({ language, node, body, name, path }) => {
      if (!computing.has(path)) return [];
      const known = `${path}#${name}`;
      const told = answers.get(known) ?? {};
      if (language === 'python') return watchedPython(node, known, told, extent);
      return language === 'javascript' ? watchedJavascript(node, body, known, told, extent) : [];
    },
  });
