import type { FileChange } from '../../../workspace/git/file-changes.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import type { TestCase } from '../../code/cases/test-case.ts';
import type { ChangedFileText } from '../../core/changed-texts.ts';
import type { Language } from '../../core/language.ts';
import type { RuleLevel } from '../../core/rule-settings.ts';

/** A place that a rule names. */
export interface RuleFinding {
  readonly file: string;
  /** 1-based; null where it is about the file. */
  readonly line: number | null;
  readonly message: string;
  /** Name of the test case that it is about, as it is written. */
  readonly test?: string;
  /** Less than the rule's own level, where the rule itself has doubts. */
  readonly level?: RuleLevel;
  /** It was there before the patch. */
  readonly isPreexisting?: boolean;
}

/** The patch as rules see it: texts and trees of what changed, on both sides. */
export interface PatchView {
  readonly store: GitStore;
  /** Commit that the work started from, and the tree of the patch. */
  readonly base: string;
  readonly patched: string;
  readonly changes: readonly FileChange[];
  /** Changed files that nobody could read as text. */
  readonly unreadableFiles: readonly string[];
  readonly changedTexts: readonly ChangedFileText[];
  /** Gates that this run requires, of those that have something to run. */
  readonly requiredGates: readonly string[];
  /** The test cases of a changed file; empty where it has none or cannot be read. */
  readTestCases(text: ChangedFileText, side: 'before' | 'after'): Promise<readonly TestCase[]>;
  /** What a reading tells of the patch; each is made once, whoever asks. */
  readOnce<T>(reading: (patch: PatchView) => Promise<T>): Promise<T>;
}

/** A small project and a patch on it: a test of the rule, and a case of the corpus. */
export interface RuleExample {
  readonly name: string;
  /** Content by path. */
  readonly before: Readonly<Record<string, string>>;
  /** New content by path; null deletes. */
  readonly after: Readonly<Record<string, string | null>>;
  /** Links that the patch adds: where each leads, by path. */
  readonly symlinks?: Readonly<Record<string, string>>;
}

/** What there is to know of a rule without running it. */
export interface RuleMetadata {
  readonly id: string;
  /** The most that it does where nothing else is set. */
  readonly default: RuleLevel;
  /** The most that it does in a file that steers checks and that the task lets the patch change: what such a file does, runs tell. */
  readonly levelInExpectedFiles?: RuleLevel;
  /** What it says, in one line. */
  readonly summary: string;
  /** Why anybody should care, and what decides instead where it is a note. */
  readonly rationale: string;
}

/** Something that is read in the code. It blocks only where no honest change looks like it; otherwise it is a note for a person or a judge. */
export interface Rule extends RuleMetadata {
  readonly languages: readonly Language[] | 'all';
  find(patch: PatchView): Promise<readonly RuleFinding[]>;
  readonly invalidExamples: readonly RuleExample[];
  readonly validExamples: readonly RuleExample[];
}
