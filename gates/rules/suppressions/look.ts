import { ThereBefore } from '../../code/parsing/there-before.ts';
import type { ChangedText } from '../../core/changed-texts.ts';
import { grammarOf, isOwnCode } from '../../core/language.ts';
import type { Seen, Weight } from '../../core/seen.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { isCodePath } from '../../languages/code-paths.ts';
import type { PatchView } from '../framework/rule.ts';
import { lineCounter } from '../tests/line-counter.ts';
import { codeOnly, commentsOf } from '../tests/strip.ts';
import { emptiedFile } from './code/emptied.ts';
import { deceitsIn } from './code/read.ts';
import { attributesIn, isExplained, silencedBy, speaksToReviewers } from './comments.ts';
import { linksLeadingOut } from './links.ts';

/** Longest file, in characters, that is looked at. */
const MAX_CHARACTERS = 1_048_576;

/** What the added lines silence, and what else keeps others from seeing what the patch does. */
export async function suppressionsIn(patch: PatchView): Promise<Seen[]> {
  const { required } = patch;
  const texts = patch.texts.filter(
    ({ path, from }) => isCodePath(path) || (from !== null && isCodePath(from)),
  );
  // Lines that the patch moves, within a file or between files, or indents anew, were there before.
  const known = new ThereBefore(texts.flatMap(({ before }) => (before ?? '').split('\n').map(keyOfLine)));
  const seen = [
    ...texts.flatMap((text) => seenIn(text, known, required)),
    ...(await deceitsIn(texts, required)),
    ...(await linksLeadingOut(patch)),
  ];
  const files = new Set(
    patch.changes.flatMap(({ path, head }) => (head?.mode.startsWith('100') ? [path] : [])),
  );
  for (const file of patch.unread) {
    // A link has no code of its own; where it leads is looked at.
    const isCode = files.has(file) && isOwnCode(file) && !isTestPath(file);
    const message = files.has(file) ? 'is too large to be looked at' : 'was not looked at';
    seen.push({ file, line: null, rule: 'not_readable', message, weight: isCode ? 'unclear' : 'reported' });
  }
  return seen;
}

function seenIn(
  { path, before, after }: ChangedText,
  known: ThereBefore,
  required: readonly string[],
): Seen[] {
  if (after === null) return [];
  // What the syntax tree tells, patterns need not guess.
  if (grammarOf(path) === null && before !== null && isEmptied(path, before, after))
    return [emptiedFile(path)];
  if (after.length > MAX_CHARACTERS)
    return [
      {
        file: path,
        line: null,
        rule: 'not_readable',
        message: 'is too large to be looked at',
        weight: 'reported',
      },
    ];
  const lines = after.split('\n');
  const code = codeOnly(path, after).split('\n');
  const isNew = lines.map((line) => !known.take(keyOfLine(line)));
  const lineOf = lineCounter(after);
  const at = (offset: number): number => lineOf(offset) - 1;
  const seen: Seen[] = [];
  const add = (index: number, rule: string, message: string, weight: Weight): void => {
    if (isNew[index]) seen.push({ file: path, line: index + 1, rule, message, weight });
  };
  for (const comment of commentsOf(path, after)) {
    const first = at(comment.at);
    comment.text.split('\n').forEach((text, offset) => {
      for (const { rule, gates } of silencedBy(text))
        report(first + offset, rule, isTestPath(path) && isExplained(rule, text) ? [] : gates);
      if (speaksToReviewers(text))
        add(first + offset, 'addresses_reviewer', 'tells whoever reviews the patch what to say', 'unclear');
    });
  }
  if (path.endsWith('.rs'))
    code.forEach((line, index) => {
      for (const { rule, gates } of attributesIn(line)) report(index, rule, gates);
    });
  return seen;

  function report(index: number, rule: string, gates: readonly string[]): void {
    const silenced = gates.filter((gate) => required.includes(gate));
    const message =
      silenced.length > 0
        ? `silences ${silenced.join(' and ')}, which ${silenced.length > 1 ? 'are' : 'is'} required here`
        : 'tells a tool to look away';
    add(index, rule, message, silenced.length > 0 ? 'fails' : 'reported');
  }
}

/** No code is left of a file that had some. An empty `__init__.py` still makes a package. */
const isEmptied = (path: string, before: string, after: string): boolean =>
  codeOnly(path, after).trim() === '' &&
  codeOnly(path, before).trim() !== '' &&
  !path.endsWith('__init__.py');

const keyOfLine = (line: string): string => line.trim();
