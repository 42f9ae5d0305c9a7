import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { goDeclared } from './go-declared.ts';
import { lex } from './lex.ts';
import { MAX_CHARACTERS } from './limits.ts';

const isRead = (text: string | null): text is string => text !== null && text.length <= MAX_CHARACTERS;
const declaredIn = (text: string): Set<string> => goDeclared(lex('go', text).code);

/**
 * Files of Go that declared something and of which only the name of the package is left. What the patch declares elsewhere was
 * moved: the documentation of a package may stay behind alone.
 */
export function emptiedGo(texts: readonly ChangedText[]): Seen[] {
  const go = texts.filter(({ path }) => path.endsWith('.go'));
  const emptied = go.flatMap(({ path, before, after }) => {
    if (isTestPath(path) || !isRead(before) || !isRead(after) || declaredIn(after).size > 0) return [];
    const then = declaredIn(before);
    return then.size > 0 && /^[ \t]*package\b/m.test(lex('go', after).code) ? [{ path, then }] : [];
  });
  if (emptied.length === 0) return [];
  const there = new Set(go.flatMap(({ after }) => (isRead(after) ? [...declaredIn(after)] : [])));
  return emptied.flatMap(({ path, then }): Seen[] =>
    [...then].every((name) => there.has(name))
      ? []
      : [
          {
            file: path,
            line: null,
            rule: 'file_emptied',
            message: 'was emptied instead of deleted, so that whoever looks for it still finds it',
            weight: 'fails',
          },
        ],
  );
}
