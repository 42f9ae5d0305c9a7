import { parseSource } from '../../../code/parsing/parse-source.ts';
import { languageOfGrammar } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { type Emptied, emptiedFunctions } from './emptied.ts';
import { withOwnCode } from './own-code.ts';

/** What functions do instead of working. */
export type Off = 'nothing' | 'breaks';

/** A tree in which no function of the project works any more. @returns null as `withOwnCode` does. */
export const switchedOff = (
  subject: Pick<PatchSubject, 'store'>,
  tree: string,
  how: Off,
): Promise<string | null> =>
  withOwnCode(subject, tree, async ({ grammar, text }) => {
    const found = emptiedFunctions((await parseSource(grammar, text)).root, languageOfGrammar(grammar));
    return found.length === 0 ? null : allOff(text, found, how);
  });

/** What lies within something that is replaced goes with it. */
function allOff(text: string, functions: readonly Emptied[], how: Off): string {
  let off = '';
  let at = 0;
  for (const { start, end, nothing, breaks } of functions.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    off += text.slice(at, start) + (how === 'nothing' ? (nothing ?? breaks) : breaks);
    at = end;
  }
  return off + text.slice(at);
}
