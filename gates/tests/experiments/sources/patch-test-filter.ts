import { isTestFile } from '../../../code/test-reachability.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import type { TestResult } from '../../../core/test-result.ts';
import { readTestSourceIndex, type TestSource, type TestSourceIndex } from './test-source-index.ts';

/**
 * Whether a test is another one than on the base: it is new, is written in another way, or what stands beside the tests (helpers,
 * fixtures, recordings) has changed. What only stands in a file with a new test is not asked again.
 */
export async function patchTestFilter(subject: PatchSubject): Promise<(test: TestResult) => boolean> {
  const bodies = await readTestSourceIndex(subject);
  const had = new Set(bodies.baseTests.map(({ path, text }) => `${bodies.movedPath(path)}\0${text}`));
  const isBeside = subject.changes.some(({ path }) => isTestPath(path) && !isTestFile(path));
  const otherwise = new Set(
    bodies.changedTexts.filter((each) => changesCodeAroundTests(each, bodies)).map(({ path }) => path),
  );
  return (test) => {
    const now = bodies.inPatch(test);
    if (isBeside || now === null) return true;
    return otherwise.has(now.path) || !had.has(`${now.path}\0${now.text}`);
  };
}

/** Lines that bring something in: a new test needs some, and no old one asks for less because of them. */
const IMPORT_LINE =
  /^\s*(?:import\b|from\b|use\b|(?:const|let|var)\b.*\brequire\(|["'`][\w./-]+["'`]\s*$|[()]\s*$)/;

function changesCodeAroundTests(
  { path, basePath, before, after }: TestSourceIndex['changedTexts'][number],
  bodies: TestSourceIndex,
): boolean {
  if (!isTestFile(path) || before === null || after === null) return false;
  const outside = (text: string, cases: readonly TestSource[]): string => {
    let left = '';
    let at = 0;
    for (const each of cases.toSorted((a, b) => a.start - b.start)) {
      left += text.slice(at, Math.max(at, each.start));
      at = Math.max(at, each.start + each.text.length);
    }
    const lines = (left + text.slice(at)).split('\n');
    return lines.filter((line) => line.trim() !== '' && !IMPORT_LINE.test(line)).join('\n');
  };
  const then = bodies.baseTests.filter((each) => each.path === (basePath ?? path));
  const now = bodies.patchTests.filter((each) => each.path === path);
  return outside(before, then) !== outside(after, now);
}
