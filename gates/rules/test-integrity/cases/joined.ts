import { FUNCTIONS } from '../../../code/functions.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { statementsOf } from '../../suppressions/code/places.ts';
import type { ReadCase, ReadFile } from './model.ts';

/** Most cases of one side that are looked at. */
const MAX_CASES = 500;

/** The cases that are gone and stand in another one now, and how many cases there are that took them in. */
export interface Joined {
  /** Path and name of a case that is gone, with a NUL between. */
  readonly gone: ReadonlySet<string>;
  /** New cases that took others in. */
  readonly hosts: number;
}

export const NOT_JOINED: Joined = { gone: new Set(), hosts: 0 };

/** Cases whose every statement stands in one case of the new tests that is run, and whose assertions count there as much. */
export function joined(read: readonly ReadFile[]): Joined {
  const all = read.flatMap(({ path, after }) => (after?.cases ?? []).map((test) => ({ path, test })));
  const before = read.flatMap(({ path, before: then }) =>
    (then?.cases ?? []).map((test) => ({ path, test })),
  );
  if (all.length > MAX_CASES || before.length > MAX_CASES) return NOT_JOINED;
  const [here, known] = [names(all), names(before)];
  const lost = before.filter(({ test }) => !here.has(test.name) && asks(test));
  if (lost.length === 0) return NOT_JOINED;
  const hosts = all
    .filter(({ test }) => test.reach === 'runs' && !test.leftOut)
    .map(({ test }) => ({ test, statements: new Set(statementsIn(test)) }));
  const gone = new Set<string>();
  const taken = new Set<ReadCase>();
  for (const { path, test } of lost) {
    const own = statementsIn(test);
    const host = hosts.find(
      (other) =>
        own.length > 0 &&
        own.every((each) => other.statements.has(each)) &&
        test.texts.every((each) => other.test.texts.includes(each)) &&
        test.strength.every((level, index) => level <= (other.test.strength[index] ?? 0)),
    );
    if (!host) continue;
    gone.add(`${path}\0${test.name}`);
    if (!known.has(host.test.name)) taken.add(host.test);
  }
  return { gone, hosts: taken.size };
}

const names = (cases: readonly { readonly test: ReadCase }[]): Set<string> =>
  new Set(cases.map(({ test }) => test.name));

const asks = ({ strength, reach }: ReadCase): boolean => reach !== 'never' && (strength[0] ?? 0) > 0;

/** What a case does, statement by statement. */
function statementsIn({ node }: ReadCase): string[] {
  const fn = bodyOf(node);
  return fn === null ? [] : statementsOf(fn).map(({ text }) => text.replace(/\s+/g, ' ').replace(/;$/, ''));
}

/** The function that a case runs: itself, or the last that a call is handed. */
const bodyOf = (node: Syntax): Syntax | null =>
  FUNCTIONS.has(node.type)
    ? node
    : ((node.child('arguments')?.namedChildren ?? []).findLast(({ type }) => FUNCTIONS.has(type)) ?? null);
