import type { Finding } from '../../../shared/evidence/schema.ts';
import { basePath, type Change } from '../../checkout/changes.ts';
import { readBlobs } from '../../checkout/edit.ts';
import { CheckoutError } from '../../checkout/error.ts';
import type { Store } from '../../checkout/store.ts';
import { isStillFound, isTestPath } from '../../languages/test-paths.ts';
import { casesOf, type TestCase } from './cases.ts';
import { type Counts, count, isCountable, weakening } from './count.ts';
import { newSkips } from './new-skips.ts';
import { namesOneOf, removedNames } from './removed.ts';

/** What a patch did to one test that was there before. */
export interface TestChange {
  /** Path in the base. */
  readonly path: string;
  /**
   * `deleted` and `weakened`: it protects less than before. `removed_with_subject`: it went away together with what it
   * tested. `modified`: it differs, and by our counts protects no less.
   */
  readonly kind: 'deleted' | 'weakened' | 'removed_with_subject' | 'modified';
  readonly message: string;
}
export type TestChanges = readonly TestChange[];

/** Finds the tests of the base that a patch deletes, weakens or changes. Blank space and new tests are no change. */
export async function testChanges(store: Store, changes: readonly Change[]): Promise<TestChanges> {
  const touched = changes.flatMap((change) => {
    const path = basePath(change);
    if (path === null || change.base === null || !isTestPath(path) || !isFile(change.base.mode)) return [];
    // A test that was moved to where no runner looks for it is a deleted one.
    const head =
      change.head && isFile(change.head.mode) && isStillFound(path, change.path) ? change.head : null;
    return head?.id === change.base.id ? [] : [{ path, base: change.base.id, head: head?.id ?? null }];
  });
  const gone = changes.filter((change) => change.head === null && !isTestPath(change.path));
  const texts = await readBlobs(
    store,
    touched.flatMap(({ path, base, head }) => (isCountable(path) ? (head ? [base, head] : [base]) : [])),
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return null;
    throw error;
  });
  if (texts === null) return touched.map(({ path }) => tooLarge(path));
  const text = (id: string): string => (texts.get(id) ?? Buffer.alloc(0)).toString('utf8');
  const names = touched.length > 0 ? await namesGone(store, changes) : new Set<string>();
  const arrived = touched.length > 0 ? await arrivals(store, changes) : new Map<string, Arrived[]>();
  return touched.map(({ path, base, head }) =>
    compare(
      path,
      text(base),
      head === null ? null : text(head),
      gone.map((change) => change.path),
      { names, arrived },
    ),
  );
}

/** What a case asks that stands in a file in which it was not before. */
type Arrived = Pick<Counts, 'assertions' | 'exact'>;
/** Where cases that a file has lost may be. */
interface Elsewhere {
  /** Names that are gone from the source. */
  readonly names: ReadonlySet<string>;
  /** By name of the case. */
  readonly arrived: ReadonlyMap<string, readonly Arrived[]>;
}

/** The cases that come into test files; none when they are too large to be read. */
async function arrivals(
  store: Store,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, readonly Arrived[]>> {
  const arrived = new Map<string, Arrived[]>();
  const files = changes.flatMap(({ path, base, head }) =>
    head && isFile(head.mode) && isTestPath(path) && isCountable(path)
      ? [{ path, base: base && isFile(base.mode) ? base.id : null, head: head.id }]
      : [],
  );
  const texts = await readBlobs(
    store,
    files.flatMap(({ base, head }) => (base === null ? [head] : [base, head])),
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return new Map<string, Buffer>();
    throw error;
  });
  const text = (id: string | null): string => (id === null ? '' : (texts.get(id)?.toString('utf8') ?? ''));
  for (const { path, base, head } of files) {
    const [then, now] = [count(path, text(base)), count(path, text(head))];
    // Nobody knows which cases are left out.
    if (now.skips > then.skips || now.only > then.only || now.exits > then.exits) continue;
    const had = new Set(casesOf(path, text(base)).map(({ name }) => name));
    for (const { name, text: written } of casesOf(path, text(head)))
      if (!had.has(name)) arrived.set(name, [...(arrived.get(name) ?? []), count(path, written)]);
  }
  return arrived;
}

/** The names that the patch takes out of the source; none when the source is too large to be read. */
async function namesGone(store: Store, changes: readonly Change[]): Promise<ReadonlySet<string>> {
  const sources = changes.filter(
    ({ path, base, head }) =>
      (!base || isFile(base.mode)) && !isTestPath(path) && isCountable(path) && (!head || isFile(head.mode)),
  );
  const texts = await readBlobs(
    store,
    sources.flatMap(({ base, head }) => [base, head].flatMap((entry) => (entry ? [entry.id] : []))),
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return new Map<string, Buffer>();
    throw error;
  });
  const text = (entry: Change['base']): string | null =>
    entry && (texts.get(entry.id) ?? Buffer.alloc(0)).toString('utf8');
  return removedNames(
    sources.map((change) => ({
      path: change.path,
      from: basePath(change),
      before: text(change.base),
      after: text(change.head),
    })),
  );
}

/** Nobody may hide what is taken away behind its size. */
const tooLarge = (path: string): TestChange => ({
  path,
  kind: 'weakened',
  message: 'the changed tests are too large to be compared',
});

const isFile = (mode: string): boolean => mode.startsWith('100');

function compare(
  path: string,
  base: string,
  head: string | null,
  gone: readonly string[],
  elsewhere: Elsewhere,
): TestChange {
  const modified: TestChange = { path, kind: 'modified', message: 'an existing test file was changed' };
  if (!isCountable(path))
    return head === null ? { ...modified, message: 'a file of the tests was deleted' } : modified;
  const before = count(path, base);
  if (head === null) {
    if (before.cases + before.assertions === 0)
      return { ...modified, message: 'a helper of the tests was deleted' };
    const subject = gone.find((deleted) => mentions(base, deleted));
    if (subject !== undefined)
      return {
        path,
        kind: 'removed_with_subject',
        message: `was deleted together with ${subject}, which it names`,
      };
    return (
      accounted(path, base, '', elsewhere) ?? {
        path,
        kind: 'deleted',
        message: `a test file with ${before.cases} test cases was deleted`,
      }
    );
  }
  const after = count(path, head);
  const how = weakening(before, { ...after, skips: after.skips - newSkips(path, base, head) });
  if (how === null) return modified;
  return (
    accounted(path, base, head, elsewhere) ?? {
      path,
      kind: 'weakened',
      message: `protects less than before: ${how}`,
    }
  );
}

/** The cases that went away together with what they test, or into other files, when that is all that the file lost. */
function accounted(
  path: string,
  base: string,
  head: string,
  { names, arrived }: Elsewhere,
): TestChange | null {
  const kept = new Set(casesOf(path, head).map(({ name }) => name));
  const lost = casesOf(path, base).filter(({ name }) => !kept.has(name));
  const isMoved = ({ name, text }: TestCase): boolean => {
    const { assertions, exact } = count(path, text);
    return (arrived.get(name) ?? []).some((now) => now.assertions >= assertions && now.exact >= exact);
  };
  const stayed = lost.filter((each) => !isMoved(each));
  if (lost.length === 0 || !stayed.every(({ text }) => namesOneOf(text, names))) return null;
  let rest = base;
  for (const { start, end } of lost.toSorted((a, b) => b.start - a.start))
    rest = rest.slice(0, start) + rest.slice(end);
  if (weakening(count(path, rest), count(path, head)) !== null) return null;
  return stayed.length === 0
    ? { path, kind: 'modified', message: 'its tests were moved to other files' }
    : {
        path,
        kind: 'removed_with_subject',
        message: `lost ${stayed.map(({ name }) => `"${name}"`).join(', ')}, whose subject the patch removes too`,
      };
}

/** Whether a test names a source file by its stem, as imports do. */
function mentions(text: string, path: string): boolean {
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  if (stem.length < 2) return false;
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1))
    if (!/[\w$]/.test(text[at - 1] ?? '') && !/[\w$]/.test(text[at + stem.length] ?? '')) return true;
  return false;
}

/** Tests whose base version must still pass on the new code. */
export const protecting = (tests: TestChanges): TestChange[] =>
  tests.filter(({ kind }) => kind === 'deleted' || kind === 'weakened');

/** Findings that list every touched test. */
export const findingsOf = (tests: TestChanges): Finding[] =>
  tests.map(({ path, kind, message }) => ({
    file: path,
    line: null,
    rule: kind === 'removed_with_subject' ? 'test_deleted' : `test_${kind}`,
    message,
  }));
