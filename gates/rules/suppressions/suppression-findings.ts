import { BaselineCount } from '../../code/parsing/baseline-count.ts';
import type { ChangedText } from '../../core/changed-texts.ts';
import type { FindingSeverity, GateFinding } from '../../core/gate-finding.ts';
import { grammarOfPath, isProjectCode } from '../../core/language.ts';
import { isTestPath } from '../../core/test-paths.ts';
import { isCodePath } from '../../languages/code-paths.ts';
import type { PatchView } from '../framework/rule.ts';
import { blankCommentsAndStrings, extractComments } from '../tests/comments-and-strings.ts';
import { createLineCounter } from '../tests/line-counter.ts';
import { createEmptiedFileFinding } from './code/emptied-file.ts';
import { findTamperingFindings } from './code/tampering-findings.ts';
import { findEscapingSymlinks } from './escaping-symlinks.ts';
import {
  findSuppressingAttributes,
  findSuppressions,
  isAddressedToReviewer,
  isExplainedSuppression,
} from './suppression-comments.ts';

/** Longest file, in characters, that is looked at. */
const MAX_CHARACTERS = 1_048_576;

/** What the added lines silence, and what else keeps others from seeing what the patch does. */
export async function findSuppressionFindings(patch: PatchView): Promise<GateFinding[]> {
  const { requiredGates } = patch;
  const texts = patch.changedTexts.filter(
    ({ path, basePath }) => isCodePath(path) || (basePath !== null && isCodePath(basePath)),
  );
  // Lines that the patch moves, within a file or between files, or indents anew, were there before.
  const known = new BaselineCount(texts.flatMap(({ before }) => (before ?? '').split('\n').map(keyOfLine)));
  const seen = [
    ...texts.flatMap((text) => seenIn(text, known, requiredGates)),
    ...(await findTamperingFindings(texts, requiredGates)),
    ...(await findEscapingSymlinks(patch)),
  ];
  const files = new Set(
    patch.changes.flatMap(({ path, headEntry }) => (headEntry?.mode.startsWith('100') ? [path] : [])),
  );
  for (const file of patch.unreadableFiles) {
    // A link has no code of its own; where it leads is looked at.
    const isCode = files.has(file) && isProjectCode(file) && !isTestPath(file);
    const message = files.has(file) ? 'is too large to be looked at' : 'was not looked at';
    seen.push({ file, line: null, rule: 'not_readable', message, severity: isCode ? 'unclear' : 'reported' });
  }
  return seen;
}

function seenIn(
  { path, before, after }: ChangedText,
  known: BaselineCount,
  required: readonly string[],
): GateFinding[] {
  if (after === null) return [];
  // What the syntax tree tells, patterns need not guess.
  if (grammarOfPath(path) === null && before !== null && isEmptied(path, before, after))
    return [createEmptiedFileFinding(path)];
  if (after.length > MAX_CHARACTERS)
    return [
      {
        file: path,
        line: null,
        rule: 'not_readable',
        message: 'is too large to be looked at',
        severity: 'reported',
      },
    ];
  const lines = after.split('\n');
  const code = blankCommentsAndStrings(path, after).split('\n');
  const isNew = lines.map((line) => !known.takeOne(keyOfLine(line)));
  const lineOf = createLineCounter(after);
  const at = (offset: number): number => lineOf(offset) - 1;
  const seen: GateFinding[] = [];
  const add = (index: number, rule: string, message: string, weight: FindingSeverity): void => {
    if (isNew[index]) seen.push({ file: path, line: index + 1, rule, message, severity: weight });
  };
  for (const comment of extractComments(path, after)) {
    const first = at(comment.at);
    comment.text.split('\n').forEach((text, offset) => {
      for (const { rule, gates } of findSuppressions(text))
        report(first + offset, rule, isTestPath(path) && isExplainedSuppression(rule, text) ? [] : gates);
      if (isAddressedToReviewer(text))
        add(first + offset, 'addresses_reviewer', 'tells whoever reviews the patch what to say', 'unclear');
    });
  }
  if (path.endsWith('.rs'))
    code.forEach((line, index) => {
      for (const { rule, gates } of findSuppressingAttributes(line)) report(index, rule, gates);
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
  blankCommentsAndStrings(path, after).trim() === '' &&
  blankCommentsAndStrings(path, before).trim() !== '' &&
  !path.endsWith('__init__.py');

const keyOfLine = (line: string): string => line.trim();
