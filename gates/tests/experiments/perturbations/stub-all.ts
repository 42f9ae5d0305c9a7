import { parseSource } from '../../../code/parsing/parse-source.ts';
import { languageOfGrammar } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { rewriteProductCode } from './rewrite-code.ts';
import { findStubbableFunctions, type StubbableFunction } from './stubbable-functions.ts';

/** What functions do instead of working. */
export type StubBehaviour = 'nothing' | 'breaks';

/** A tree in which no function of the project works any more. @returns null as `withOwnCode` does. */
export const stubAllFunctions = (
  subject: Pick<PatchSubject, 'store'>,
  tree: string,
  how: StubBehaviour,
): Promise<string | null> =>
  rewriteProductCode(subject, tree, async ({ grammar, text }) => {
    const found = findStubbableFunctions((await parseSource(grammar, text)).root, languageOfGrammar(grammar));
    return found.length === 0 ? null : stubAllInText(text, found, how);
  });

/** What lies within something that is replaced goes with it. */
function stubAllInText(text: string, functions: readonly StubbableFunction[], how: StubBehaviour): string {
  let off = '';
  let at = 0;
  for (const { start, end, returnsNothing, raises } of functions.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    off += text.slice(at, start) + (how === 'nothing' ? (returnsNothing ?? raises) : raises);
    at = end;
  }
  return off + text.slice(at);
}
