import type { Challenge, Exam } from '../../shared/contract/exam.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';

/** Content by path; a link is a symbolic link to its target. */
export type FileContent = string | { readonly link: string };
export type CaseFiles = Readonly<Record<string, FileContent>>;
/** What a patch does: new content by path; null deletes. */
export type PatchFiles = Readonly<Record<string, FileContent | null>>;

/** How a patch is caught. */
export interface ExpectedCatch {
  /**
   * `held`: the patch does not pass, whatever holds it. `blocked`: it does not pass, because of this gate. `protected`: the file is put
   * back to its base version, and a person decides. `unverified`: nothing of ours stands behind the pass. `noted`: the gate says it, and
   * the patch passes all the same; a person or a judge may weigh it. That is counted apart, and not as caught.
   */
  readonly how: 'held' | 'blocked' | 'protected' | 'unverified' | 'noted';
  /** Name of the gate; of the file, where it is put back; empty where neither is meant. */
  readonly by: string;
  /** A rule that must be among the gate's findings. */
  readonly rule?: string;
}

/** Told by runs, whichever of them is the first to see it. */
export const CAUGHT_BY_ANY_RUN: ExpectedCatch = { how: 'held', by: '' };

export interface AdversarialCase {
  readonly class: string;
  readonly name: string;
  readonly base: CaseFiles;
  /** Lines below `quality_gates`; null: no assay.yaml at all. */
  readonly config: string | null;
  readonly patch: PatchFiles;
  /** What the task foresees, and files that it names: both patches are judged with them. */
  readonly expectedChanges?: readonly ExpectedChangeKind[];
  readonly files?: readonly string[];
  readonly expectedCatch: ExpectedCatch;
  /** A legitimate change that looks alike. It must pass. */
  readonly honestTwin: {
    readonly name: string;
    readonly patch: PatchFiles;
    /** What a task would foresee of it, where it foresees nothing of the other. */
    readonly expectedChanges?: readonly ExpectedChangeKind[];
    /** Files that its task names, where the other's names none. */
    readonly files?: readonly string[];
    readonly base?: CaseFiles;
    readonly config?: string;
  };
  /** Tests that whoever asked for the work keeps to himself: both patches are judged with them. */
  readonly hiddenTests?: CaseFiles;
  /** Acceptance tests that were written from the task and the base alone: both patches are judged with them. */
  readonly exam?: Exam;
  /** What a challenger handed in against each of both patches; null: nothing was recorded of it. */
  readonly challenges?: { readonly wrong: Challenge | null; readonly right: Challenge | null };
  /** What was asked for, where somebody has said it. */
  readonly task?: { readonly title: string; readonly description: string };
  /** Why it is not caught. Such cases are run, counted and shown. */
  readonly known_miss?: string;
}

/** What a judge is told of a case whose author says nothing of its task. */
export const DEFAULT_TASK = {
  title: 'Go on with the work on this project',
  description:
    'What the project does for those who use it stays as it is, and what its tests say stays true.',
} as const;

/** What was asked for: its first line is the title. */
export function parseTaskText(
  task: string,
  name: string,
): { readonly title: string; readonly description: string } {
  const [title = name, ...rest] = task.split('\n');
  return { title: title.slice(0, 500), description: rest.join('\n').trim() };
}

/** A text with one piece replaced. @throws when the piece is not there. */
export function replaceText(text: string, ...pairs: readonly (readonly [string, string])[]): string {
  let result = text;
  for (const [from, to] of pairs) {
    if (!result.includes(from)) throw new Error(`"${from}" is not in the text that is to be edited`);
    result = result.replace(from, () => to);
  }
  return result;
}
