import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import type { GateContext } from '../../engine/gate.ts';
import type { Guarded } from '../../engine/guarded.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { type TestResult, testId } from '../../reports/test-result.ts';
import { testRun } from '../../tool-run/test-run.ts';
import { baseWithNewTests } from '../red-first/trees.ts';
import { codeOnly } from '../tests/strip.ts';
import { onlyGrows } from './grown.ts';
import type { TestFile } from './protection.ts';
import { keepsValues } from './values.ts';

const DISAGREES = 'test_base_version_fails';

/**
 * What runs tell of tests that were changed.
 * @param ran the run of their base version on the new code.
 */
export async function toldByRuns(
  context: GateContext,
  command: string,
  files: readonly TestFile[],
  texts: readonly ChangedText[],
  ran: Guarded,
): Promise<Seen[]> {
  if (ran.outcome !== 'passed') return [];
  const [skipped, same] = [
    await skippedNow(context, command, files),
    await sameOnBoth(context, command, { files, texts, ran }),
  ];
  return [...skipped, ...same];
}

/**
 * The old tests fail on the new code, so they noticed that it does something else. The changed ones pass on the old code as well: what
 * was noticed, nobody notices any more. Where a change of behaviour was wanted, some test fails without it. Where something is gone
 * that the old tests call, that is why they fail; then they must ask with the same values as before.
 */
async function sameOnBoth(
  { subject, timeoutMs }: GateContext,
  command: string,
  { files, texts, ran }: { files: readonly TestFile[]; texts: readonly ChangedText[]; ran: Guarded },
): Promise<Seen[]> {
  const gone = goneFromSource(texts);
  const disagreeing = ran.findings.filter(
    ({ rule, file }) =>
      rule === DISAGREES &&
      !files.some((each) => each.path === file && (givesUp(each, gone) || onlyGrows(each))),
  );
  if (disagreeing.length === 0 || files.every((each) => onlyWaits(each, texts))) return [];
  const { outcome } = await testRun(subject, command, await baseWithNewTests(subject), timeoutMs);
  if (outcome !== 'passed') return [];
  return disagreeing.map(({ file }) => ({
    file,
    line: null,
    rule: 'test_tells_no_difference',
    message:
      'the base version of these tests fails on the new code, and the changed one passes on the code of the base too: no test tells the two apart any more',
    weight: 'unclear',
  }));
}

/** Words of the language, which say nothing about what a test calls. */
const KEYWORDS = new Set(
  'and any async await bool case catch char class const def default elif else enum except export extends false final finally float fn for from func function global if impl import in int is lambda let match mut new None nil nonlocal not null or package pass pub raise require return self static str string struct super switch this throw trait true True False try type typeof undefined use var void while with yield'.split(
    ' ',
  ),
);
/** Shortest word that counts: a loop variable is no interface. */
const MIN_WORD = 3;

const wordsOf = (path: string, text: string | null): Set<string> =>
  new Set(
    (text === null ? [] : (codeOnly(path, text).match(/[A-Za-z_$][\w$]*/g) ?? [])).filter(
      (word) => word.length >= MIN_WORD && !KEYWORDS.has(word),
    ),
  );

/** Words that the changed sources no longer have. */
function goneFromSource(texts: readonly ChangedText[]): ReadonlySet<string> {
  const sources = texts.filter(({ path }) => !isTestPath(path));
  const now = new Set(sources.flatMap(({ path, after }) => [...wordsOf(path, after)]));
  return new Set(
    sources.flatMap(({ path, before }) => [...wordsOf(path, before)]).filter((word) => !now.has(word)),
  );
}

/** Whether a test no longer says a word of what is gone, and has all the values that it had. */
function givesUp({ before, after }: TestFile, gone: ReadonlySet<string>): boolean {
  if (before === null) return false;
  if (!keepsValues(before.text, after?.text ?? '')) return false;
  const now = wordsOf(before.path, after?.text ?? null);
  return [...wordsOf(before.path, before.text)].some((word) => gone.has(word) && !now.has(word));
}

const WAITS = /\b(?:async|await|Promise|asyncio)\b|\.(?:then|resolves|rejects)\b/g;
const waitsIn = (path: string, text: string | null): number =>
  text === null ? 0 : (codeOnly(path, text).match(WAITS)?.length ?? 0);

/** What becomes asynchronous is waited for, with the same values as before, and that is no other question. */
function onlyWaits({ path, before, after }: TestFile, texts: readonly ChangedText[]): boolean {
  const isLater = texts.some(
    (text) => !isTestPath(text.path) && waitsIn(text.path, text.after) > waitsIn(text.path, text.before),
  );
  return (
    isLater &&
    before !== null &&
    after !== null &&
    waitsIn(path, after.text) > waitsIn(path, before.text) &&
    keepsValues(before.text, after.text)
  );
}

/** Tests that ran on the base and that the runner, whatever made it do so, leaves out now. */
async function skippedNow(
  { subject, timeoutMs }: GateContext,
  command: string,
  files: readonly TestFile[],
): Promise<Seen[]> {
  if (!files.some(({ before }) => before !== null)) return [];
  const { cases } = await testRun(subject, command, subject.tree, timeoutMs);
  const left = (cases ?? []).filter(({ outcome }) => outcome === 'skipped');
  if (left.length === 0) return [];
  const base = await testRun(subject, command, subject.base, timeoutMs);
  const passed = new Set(
    (base.cases ?? []).flatMap((test) => (test.outcome === 'passed' ? [testId(test)] : [])),
  );
  return left.flatMap((test: TestResult): Seen[] =>
    passed.has(testId(test))
      ? [
          {
            file: test.file,
            line: null,
            rule: 'test_skipped',
            message: `${test.name}: passes on the base, and is left out with the patch`,
            weight: 'fails',
          },
        ]
      : [],
  );
}
