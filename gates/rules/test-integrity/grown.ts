import type { TestFile } from './protection.ts';

const NAMES = /^(?:async\s+)?(?:def|class)\s+(\w+)|^(?:from\s+\S+\s+)?import\s+(.*)$|^(\w+)\s*(?::[^=]*)?=/s;

/**
 * Whether a file of Python that holds no tests has got functions, fixtures and imports beside all that it had. Tests that need them fail
 * on its base version, and that says nothing about those that were there.
 */
export function onlyGrows({ path, before, after }: TestFile): boolean {
  if (before === null || after === null || before.counts.cases > 0 || !path.endsWith('.py')) return false;
  const [then, now] = [blocksOf(before.text), blocksOf(after.text)];
  let at = 0;
  const added = now.map((block) => {
    if (block !== then[at]) return true;
    at++;
    return false;
  });
  if (at < then.length) return false;
  const known = new Set(then.flatMap(namesOf));
  return now.every((block, index) => {
    if (!added[index]) return true;
    // A decorator must be that of something new.
    if (block.startsWith('@')) return added[index + 1] === true && !/\bautouse\b/.test(block);
    return (
      /^(?:(?:(?:async\s+)?def|class|from|import)\b|#)/.test(block) &&
      !namesOf(block).some((name) => known.has(name))
    );
  });
}

/** What stands at the top of a file, each with the lines that belong to it. */
const blocksOf = (text: string): string[] =>
  text
    .split(/\n(?=[^\s)\]}])/)
    .map((block) => block.trimEnd())
    .filter((block) => block !== '');

function namesOf(block: string): string[] {
  const [, defined, imported, assigned] = NAMES.exec(block) ?? [];
  if (imported !== undefined)
    return imported
      .replace(/[()]/g, '')
      .split(',')
      .map((name) => name.trim().split(/\s+/).at(-1) ?? '');
  return [defined ?? assigned ?? ''].filter((name) => name !== '');
}
