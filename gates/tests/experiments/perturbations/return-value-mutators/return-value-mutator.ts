import type { SyntaxNode } from '../../../../code/parsing/syntax-node.ts';
import type { Language } from '../../../../core/language.ts';
import type { TextEdit } from '../rewrite-functions.ts';

/**
 * What comes out of a function instead of what it came to. Unlike a mutant, which is another function, it works to its end: only what
 * the one who called it gets to see is another.
 * `fails`: where it would answer, it fails. `nothing`: where it would answer, it answers nothing. `no failure`: where it would fail, it
 * answers nothing. `other value`: a number, a text, a part of what it answers is a little off. `other failure`: where it would fail, it
 * fails in another way, which is of no kind that the code knows.
 */
export type ReturnValueMutation = 'fails' | 'nothing' | 'no failure' | 'other value' | 'other failure';

/** How a language puts something in the place of what a function comes to. */
export interface ReturnValueMutator {
  /**
   * What is replaced in a function; empty where nobody can say how.
   * @param mark for names that no other file gives.
   */
  editsFor(node: SyntaxNode, body: SyntaxNode, how: ReturnValueMutation, mark: string): readonly TextEdit[];
  /** What the end of a file needs for it. */
  textAtEnd(how: ReturnValueMutation, mark: string): string;
  /**
   * Only who is called from outside of the code is changed, by itself. Otherwise those functions are that the tests name: a change that
   * goes through many hands is another one.
   */
  readonly mutatesOutermostCall: boolean;
}

export type ReturnValueMutators = Readonly<Record<Language, ReturnValueMutator>>;
