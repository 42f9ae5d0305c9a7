import type { Seen } from '../code/seen.ts';
import { type TestResult, testId } from '../formats/test-result.ts';
import type { GateContext } from '../gate.ts';
import type { Guarded } from '../guarded.ts';
import { baseWithNewTests } from '../red-first/trees.ts';
import { testRun } from '../test-run.ts';
import { codeOnly } from '../tests/strip.ts';
import type { TestFile } from './protection.ts';

const DISAGREES = 'test_base_version_fails';

/**
 * What runs tell of tests that were changed.
 * @param ran the run of their base version on the new code.
 */
export async function toldByRuns(
  context: GateContext,
  command: string,
  files: readonly TestFile[],
  ran: Guarded,
): Promise<Seen[]> {
  if (ran.outcome !== 'passed') return [];
  const [skipped, same] = [
    await skippedNow(context, command, files),
    await sameOnBoth(context, command, files, ran),
  ];
  return [...skipped, ...same];
}

/**
 * The old tests fail on the new code, so they noticed that it does something else. The changed ones pass on the old code as well: what
 * was noticed, nobody notices any more. Where a change of behaviour was wanted, some test fails without it.
 */
async function sameOnBoth(
  { subject, timeoutMs }: GateContext,
  command: string,
  files: readonly TestFile[],
  { findings }: Guarded,
): Promise<Seen[]> {
  const disagreeing = findings.filter(({ rule }) => rule === DISAGREES);
  if (disagreeing.length === 0 || files.every(onlyWaits)) return [];
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

/** What becomes asynchronous is waited for, and that is no other question. */
const onlyWaits = ({ before, after }: TestFile): boolean =>
  before !== null && after !== null && withoutWaiting(before) === withoutWaiting(after);
const withoutWaiting = ({ path, text }: { readonly path: string; readonly text: string }): string =>
  codeOnly(path, text)
    .replace(/\b(?:async|await)\b|\.resolves\b/g, '')
    .replace(/\s+|[()]/g, '') + text.replace(/[^'"`\d]+/g, '');

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
