import { closing, endOfBlock } from '../tests/blocks.ts';

/** Most handlers of one file that are looked at. */
const MAX_HANDLERS = 500;

/** Bodies of handlers that do nothing, or answer with something made up. */
const NOTHING_JAVASCRIPT = /^\{\s*(?:return\b[^;{}()]{0,100};?|continue\s*;?|break\s*;?)?\s*\}$/;
const NOTHING_PYTHON = /^\s*(?:pass|continue|break|\.\.\.|return\b[^\n()]{0,100})\s*$/;
const BROAD_PYTHON =
  /^[ \t]*except(?:[ \t]{1,10}\(?[\w., \t]{0,100}?\b(?:Exception|BaseException)\b[\w., \t]{0,100}\)?(?:[ \t]{1,10}as[ \t]{1,10}\w{1,40})?)?[ \t]{0,10}:/gm;

/** Offsets of handlers that take every error and throw it away. `code` is without comments and strings. */
export function swallowedErrors(path: string, code: string): number[] {
  const found: number[] = [];
  let looked = 0;
  if (/\.[cm]?[jt]sx?$/.test(path))
    for (const match of code.matchAll(
      /\bcatch\s{0,20}(?:\(\s{0,10}\w{1,60}(?::\s{0,5}\w{1,20})?\s{0,10}\)\s{0,20})?\{/g,
    )) {
      if (++looked > MAX_HANDLERS) break;
      const open = match.index + match[0].length - 1;
      const end = closing(code, open);
      if (end - open < 400 && NOTHING_JAVASCRIPT.test(code.slice(open, end))) found.push(match.index);
    }
  if (path.endsWith('.py'))
    for (const match of code.matchAll(BROAD_PYTHON)) {
      if (++looked > MAX_HANDLERS) break;
      const indent = match[0].length - match[0].trimStart().length;
      const from = match.index + match[0].length;
      const end = endOfBlock(code, match.index, indent);
      if (end - from < 400 && NOTHING_PYTHON.test(code.slice(from, end))) found.push(match.index);
    }
  return found;
}
