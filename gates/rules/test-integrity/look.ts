import { projectOf } from '../../code/project.ts';
import { resultOf, type Seen } from '../../code/seen.ts';
import { changedTexts } from '../../engine/changed-texts.ts';
import type { GateContext, GateResult } from '../../engine/gate.ts';
import { type Guarded, guarded } from '../../engine/guarded.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { testsOn } from '../../tool-run/test-run.ts';
import { nativeCounted } from '../native/counted.ts';
import { goSubjects } from '../native/go-subjects.ts';
import { judgeNative, nativeTests } from '../native/look.ts';
import { lostModules } from '../native/lost-modules.ts';
import { isCountable } from '../tests/count.ts';
import { removedNames } from '../tests/removed.ts';
import { addedWeakness } from './additions.ts';
import { judgeCases } from './cases/compare.ts';
import { readFiles } from './cases/files.ts';
import { toldByRuns } from './difference.ts';
import { broughtFixtures } from './fixtures.ts';
import { missingInterfaces } from './interfaces.ts';
import { testsOutsidePackages } from './packages.ts';
import { lostProtection, type TestFile, testFiles, totalOf } from './protection.ts';
import { isSnapshot, rewrittenSnapshots } from './snapshots.ts';
import { unattachedTests } from './subjects.ts';

/**
 * Compares the tests on both sides of the patch, and runs those that it takes away on the new code.
 * @param command what runs the tests; null: they are only looked at.
 */
export async function lookAtTests(context: GateContext, command: string | null): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const { texts, unread } = await changedTexts(subject, (path) => isCountable(path) || isSnapshot(path));
  const files = testFiles(texts);
  const native = nativeTests(texts);
  const counted = [...files, ...nativeCounted(native)];
  const project =
    files.length > 0 || texts.some(({ path }) => isTestPath(path))
      ? await projectOf(subject, performance.now() + timeoutMs)
      : null;
  const read = project ? await readFiles(files, texts, project) : [];
  const until = performance.now() + timeoutMs;
  const brought = project ? await broughtFixtures(files, project, subject.store, until) : new Map();
  const removed = removedNames(texts);
  const withSubject = new Set(
    subject.tests.flatMap(({ path, kind }) => (kind === 'removed_with_subject' ? [path] : [])),
  );
  const seen: Seen[] = [
    ...lostProtection(files, removed, withSubject, read),
    ...judgeCases(read, texts, removed, brought),
    ...addedWeakness(files),
    ...judgeNative(native, removed, withSubject),
    ...(await lostModules(subject, texts)),
    ...rewrittenSnapshots(texts),
    ...unread.filter(isTestPath).map(unreadable),
  ];
  if (project) {
    seen.push(
      ...unattachedTests(files, project, brought),
      ...testsOutsidePackages(texts, project, command),
      ...(await goSubjects(texts, project, subject.store, performance.now() + timeoutMs)),
      ...(await missingInterfaces(files, project, subject.store, until)),
    );
  }
  const ran = command === null ? null : await runTaken(context, command);
  if (ran?.outcome === 'failed')
    seen.push({ file: null, line: null, rule: 'base_tests_fail', message: ran.detail, weight: 'fails' });
  if (command !== null && ran) seen.push(...(await toldByRuns(context, command, files, texts, ran)));
  seen.push(...(ran?.findings ?? []).map((finding) => ({ ...finding, weight: 'reported' as const })));
  const result = resultOf(seen, cleanDetail(counted), metadataOf(counted, command));
  if (ran === null || ran.outcome === 'passed' || result.outcome !== 'passed') return withKind(result, ran);
  return {
    ...withKind(result, ran),
    outcome: ran.outcome,
    detail: `base version of the tests: ${ran.detail}`,
  };
}

const withKind = (result: GateResult, ran: Guarded | null): GateResult =>
  ran === null ? result : { ...result, kind: 'executed_by_us' };

/** Runs the tests as the tests gate does; where both are on, they share the runs. */
const runTaken = (context: GateContext, command: string): Promise<Guarded> =>
  guarded(
    context.subject,
    command,
    (tree, restored) => testsOn(context, command, tree, restored, () => context.timeoutMs),
    true,
  );

const unreadable = (file: string): Seen => ({
  file,
  line: null,
  rule: 'test_not_readable',
  message: 'a test that cannot be compared: too large, or no regular file',
  weight: 'unclear',
});

function cleanDetail(files: readonly TestFile[]): string {
  const [before, after] = [
    totalOf(files.map((file) => file.before)),
    totalOf(files.map((file) => file.after)),
  ];
  return `in the changed tests: ${after.cases} cases instead of ${before.cases}, ${after.assertions} assertions instead of ${before.assertions}, ${after.skips} skipped instead of ${before.skips}`;
}

function metadataOf(
  files: readonly TestFile[],
  command: string | null,
): Record<string, string | number | null> {
  const metadata: Record<string, string | number | null> = { command, test_files: files.length };
  for (const side of ['before', 'after'] as const) {
    const total = totalOf(files.map((file) => file[side]));
    for (const key of ['cases', 'assertions', 'skips'] as const) metadata[`${key}_${side}`] = total[key];
  }
  return metadata;
}
