import type { PatchSubject } from '../../../../core/patch-subject.ts';
import { rewriteFunctions } from '../rewrite-functions.ts';
import { recordJavascriptCalls } from './javascript.ts';
import { recordPythonCalls } from './python.ts';
import { type RecordingExtent, WITH_NEIGHBOURS } from './recording-extent.ts';

/** Variable of the environment that names the file into which watched functions write. */
export const RECORDING_VARIABLE = 'ASSAY_MOVED';

/** What a function, by its file and name, answers to what. */
export type ReplayedAnswers = ReadonlyMap<string, Readonly<Record<string, string>>>;

export interface RecordCallsOptions {
  /** What they answer in the place of their own: a test that stops at the first difference would ask for no more. */
  readonly answers?: ReplayedAnswers;
  readonly extent?: RecordingExtent;
}

/**
 * A tree whose functions write down what tests ask of them, what they answer, and what they answer to what lies beside that. Only in
 * Python and JavaScript, where a value can be moved without knowing its type beforehand.
 * @param computing files whose functions may be asked for anything.
 */
export const recordCalls = (
  subject: Pick<PatchSubject, 'store'>,
  tree: string,
  computing: ReadonlySet<string>,
  { answers = new Map(), extent = WITH_NEIGHBOURS }: RecordCallsOptions = {},
): Promise<string | null> =>
  rewriteFunctions(subject, tree, {
    inFunctions: ({ language, node, body, name, path }) => {
      if (!computing.has(path)) return [];
      const known = `${path}#${name}`;
      const told = answers.get(known) ?? {};
      if (language === 'python') return recordPythonCalls(node, known, told, extent);
      return language === 'javascript' ? recordJavascriptCalls(node, body, known, told, extent) : [];
    },
  });
