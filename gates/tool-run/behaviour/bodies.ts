import type { TestCase } from '../../code/cases/model.ts';
import { casesIn } from '../../code/cases/read.ts';
import { changedTexts } from '../../engine/changed-texts.ts';
import type { Subject } from '../../engine/subject.ts';
import { isCodePath } from '../../languages/code-paths.ts';
import { type TestResult, writtenNames } from '../../reports/test-result.ts';

/** A test case of one side of the patch, as it is written. */
export interface Written extends TestCase {
  readonly path: string;
}

/** The test cases of the files that the patch touches, on both sides. */
export interface Bodies {
  /** The case that a runner's name stands for; null where no touched file has it, or several do. */
  before(test: Pick<TestResult, 'file' | 'name'>): Written | null;
  after(test: Pick<TestResult, 'file' | 'name'>): Written | null;
  readonly allAfter: readonly Written[];
  /** Where the patch moved a file to; the path itself where it did not. */
  movedTo(path: string): string;
}

const known = new WeakMap<Subject, Promise<Bodies>>();

/** Reads the touched tests once. */
export function bodiesOf(subject: Subject): Promise<Bodies> {
  const there = known.get(subject);
  if (there !== undefined) return there;
  const reading = read(subject);
  known.set(subject, reading);
  return reading;
}

async function read(subject: Subject): Promise<Bodies> {
  const { texts } = await changedTexts(subject, isCodePath);
  const side = async (path: string | null, text: string | null): Promise<Written[]> =>
    path === null || text === null
      ? []
      : ((await casesIn(path, text)) ?? []).map((each) => ({ ...each, path }));
  const allBefore = (await Promise.all(texts.map(({ from, before }) => side(from, before)))).flat();
  const allAfter = (await Promise.all(texts.map(({ path, after }) => side(path, after)))).flat();
  const moved = new Map(
    texts.flatMap(({ from, path, after }) => (from && after !== null ? [[from, path]] : [])),
  );
  return {
    before: (test) => find(allBefore, test),
    after: (test) => find(allAfter, test),
    allAfter,
    movedTo: (path) => moved.get(path) ?? path,
  };
}

function find(all: readonly Written[], { file, name }: Pick<TestResult, 'file' | 'name'>): Written | null {
  const names = writtenNames(name);
  const found = all.filter((each) => (file === null || each.path === file) && names.has(each.name));
  // Of several the one whose name says most; two that say as much cannot be told apart.
  const [best, second] = found.toSorted((a, b) => b.name.length - a.name.length);
  return best === undefined || (second?.name.length === best.name.length && second.text !== best.text)
    ? null
    : best;
}
