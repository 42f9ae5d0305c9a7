import type { Seen } from '../../../code/seen.ts';
import type { ChangedText } from '../../../engine/changed-texts.ts';
import { namesOneOf } from '../../tests/removed.ts';
import type { Brought } from '../fixtures.ts';
import { isFolded } from './folded.ts';
import type { Oddity, ReadCase, ReadFile, ReadTests } from './model.ts';

interface Placed {
  readonly path: string;
  readonly test: ReadCase;
}

/** Cases of both sides that belong together: by place and name, else by name alone. */
function paired(files: readonly ReadFile[]): {
  readonly pairs: readonly (readonly [Placed, Placed])[];
  readonly added: readonly Placed[];
} {
  const left = new Map<string, Placed[]>();
  const all: Placed[] = [];
  for (const { path, after } of files)
    for (const test of after?.cases ?? []) {
      const placed = { path, test };
      all.push(placed);
      for (const key of [`${path}\0${test.name}`, test.name])
        left.set(key, [...(left.get(key) ?? []), placed]);
    }
  const taken = new Set<Placed>();
  const done = new Set<Placed>();
  const pairs: (readonly [Placed, Placed])[] = [];
  const olds = files.flatMap(({ path, before }) => (before?.cases ?? []).map((test) => ({ path, test })));
  for (const key of [({ path, test }: Placed) => `${path}\0${test.name}`, ({ test }: Placed) => test.name])
    for (const old of olds) {
      if (done.has(old)) continue;
      const now = left.get(key(old))?.find((each) => !taken.has(each));
      if (!now) continue;
      taken.add(now);
      done.add(old);
      pairs.push([old, now]);
    }
  return { pairs, added: all.filter((each) => !taken.has(each)) };
}

/** Names of tests that are there to show that nothing goes wrong. */
const SMOKE =
  /(?:\bnot|n't|_not|\bno|\bwithout|_without|never)[ _](?:\w+[ _])?(?:throw|crash|rais|fail|error|exception|break|hang)|smoke/i;

/** What cases that are still there ask less, and what new ones do not ask at all. */
export function judgeCases(
  files: readonly ReadFile[],
  texts: readonly ChangedText[],
  removed: ReadonlySet<string>,
  brought: ReadonlyMap<string, Brought> = new Map(),
): Seen[] {
  const { pairs, added } = paired(files);
  const kept = new Map<string, number>();
  for (const { after } of files)
    for (const text of (after?.cases ?? [])
      .filter(({ reach }) => reach !== 'never')
      .flatMap((test) => test.texts))
      kept.set(text, (kept.get(text) ?? 0) + 1);
  const seen = pairs.flatMap(([old, now]) => lessThan(old, now, removed, kept));
  seen.push(...judgeAdded(files, added));
  seen.push(...oddities(files, texts));
  seen.push(...untested(files, texts, brought));
  return seen;
}

function lessThan(
  { test: old }: Placed,
  { path, test: now }: Placed,
  removed: ReadonlySet<string>,
  kept: ReadonlyMap<string, number>,
): Seen[] {
  const at = { file: path, line: now.line };
  if (now.reach !== old.reach && now.reach !== 'runs' && !(old.reach === 'never'))
    return [
      {
        ...at,
        rule: 'test_never_runs',
        message: `the test "${now.name}" ${now.why ?? 'is not run'}`,
        weight: 'fails',
      },
    ];
  if (now.leftOut && !old.leftOut)
    return [
      {
        ...at,
        rule: 'test_skipped',
        message: `the test "${now.name}" leaves itself out, or is to fail`,
        weight: 'fails',
      },
    ];
  if (namesOneOf(old.node.text, removed)) return [];
  if (old.attached && !now.attached && !now.open && now.strength.length > 0)
    return [
      {
        ...at,
        rule: 'test_without_subject',
        message: `the test "${now.name}" no longer looks at what the code does`,
        weight: 'fails',
      },
    ];
  if (now.open) return [];
  const place = old.strength.findIndex((level, index) => level > (now.strength[index] ?? 0));
  if (place < 0)
    return now.spelt.open > old.spelt.open && now.spelt.values < old.spelt.values
      ? [
          {
            ...at,
            rule: 'test_asks_less',
            message: `the test "${now.name}" takes anything where it had a value before`,
            weight: 'unclear',
          },
        ]
      : [];
  const missing = old.texts.filter((text) => !now.texts.includes(text));
  const isMoved =
    (missing.length > 0 && missing.every((text) => kept.has(text))) ||
    (old.strength.length === old.texts.length && isFolded(old.texts, now.texts));
  const [then, since] = [old.strength[place] ?? 0, now.strength[place] ?? 0];
  const how =
    since === 0 && now.strength.filter((level) => level > 0).length < old.strength.length
      ? `${now.strength.filter((level) => level > 0).length} assertions instead of ${old.strength.length}`
      : `an assertion that asks less: ${LEVELS[since]} instead of ${LEVELS[then]}`;
  return [
    {
      ...at,
      rule: 'test_asks_less',
      message: `the test "${now.name}" has ${how}`,
      weight: isMoved ? 'reported' : 'fails',
    },
  ];
}

const LEVELS = ['nothing', 'that there is something', 'a part or a range', 'an exact result'] as const;

function judgeAdded(files: readonly ReadFile[], added: readonly Placed[]): Seen[] {
  const seen: Seen[] = [];
  // What is only planned asks nothing, and says so.
  const live = added.filter(({ test }) => test.reach !== 'never' && !isPlanned(test));
  const problems = live.map(({ path, test }) => ({ path, test, problem: problemOf(test) }));
  const isAll = problems.length > 0 && problems.every(({ problem }) => problem !== null);
  for (const { path, test, problem } of problems)
    if (problem)
      seen.push({
        file: path,
        line: test.line,
        rule: problem.rule,
        message: `the new test "${test.name}" ${problem.message}`,
        weight:
          isAll && !(problem.rule === 'test_asserts_nothing' && SMOKE.test(test.name) && test.uses.size > 0)
            ? 'fails'
            : 'reported',
      });
  for (const { path, test } of added)
    if (test.reach === 'never')
      seen.push({
        file: path,
        line: test.line,
        rule: 'test_never_runs',
        message: `the new test "${test.name}" ${test.why ?? 'is not run'}`,
        weight: files.find((file) => file.path === path)?.isNew ? 'unclear' : 'reported',
      });
  return seen;
}

const isPlanned = ({ node }: ReadCase): boolean =>
  node.type === 'call_expression' && /\.todo$/.test(node.child('function')?.text.slice(-20) ?? '');

function problemOf(test: ReadCase): { readonly rule: string; readonly message: string } | null {
  if (test.open) return null;
  const best = test.strength[0] ?? 0;
  if (best === 0) return { rule: 'test_asserts_nothing', message: 'asserts nothing' };
  if (!test.attached || test.onlyStandIns)
    return { rule: 'test_without_subject', message: 'asserts nothing about what the code does' };
  if (best === 1 && !test.calls)
    return { rule: 'test_without_subject', message: 'never calls what it imports' };
  return null;
}

/** Runners and assertions that were replaced; a helper that the patch brings must know a runner itself. */
function oddities(files: readonly ReadFile[], texts: readonly ChangedText[]): Seen[] {
  const keyOf = ({ rule, message }: Oddity): string => `${rule} ${message}`;
  return files.flatMap(({ path, before, after }) => {
    const known = new Set((before?.oddities ?? []).map(keyOf));
    return (after?.oddities ?? []).flatMap((oddity): Seen[] => {
      if (known.has(keyOf(oddity))) return [];
      const { rule, line, message } = oddity;
      if (rule !== 'runner_from_helper') return [{ file: path, line, rule, message, weight: 'fails' }];
      const stem = message
        .replace(/^(?:\.\.?\/)+|^\.+/g, '')
        .replace(/\.\w+$/, '')
        .replaceAll('.', '/');
      const helper = texts.find(
        (text) =>
          text.after !== null &&
          text.path
            .replace(/\.\w+$/, '')
            .replace(/\/index$/, '')
            .endsWith(stem),
      );
      if (!helper || FROM_A_PACKAGE.test(helper.after ?? '')) return [];
      return [
        {
          file: path,
          line,
          rule: 'runner_patched',
          message: `takes its runner or assertions from ${helper.path}, which has none`,
          weight: 'fails',
        },
      ];
    });
  });
}

const FROM_A_PACKAGE =
  /\bfrom\s{1,5}['"][^.'"]|\brequire\(\s{0,5}['"][^.'"]|^\s{0,20}(?:import|from)\s{1,5}(?:unittest|pytest)\b/m;

/** What tests looked at before, and none does any more, although it is still there. */
function untested(
  files: readonly ReadFile[],
  texts: readonly ChangedText[],
  brought: ReadonlyMap<string, Brought>,
): Seen[] {
  const live = (tests: ReadTests | null): readonly ReadCase[] =>
    (tests?.cases ?? []).filter(({ reach, strength }) => reach !== 'never' && (strength[0] ?? 0) > 0);
  const after = new Set<string>();
  for (const file of files) {
    for (const name of preparedNames(live(file.after))) if (!file.after?.made.has(name)) after.add(name);
    if (live(file.after).some(({ attached }) => attached))
      for (const name of brought.get(file.path)?.names ?? []) after.add(name);
    for (const test of live(file.after)) {
      for (const name of test.uses) after.add(name);
      for (const node of test.node.walk())
        if (/identifier$/.test(node.type) && !file.after?.made.has(node.text)) after.add(node.text);
    }
  }
  const seen: Seen[] = [];
  const told = new Set<string>();
  for (const { path, before, after: now } of files) {
    if (now === null) continue;
    for (const test of live(before)) {
      // It may look at it through a helper, which has an assertion in it or was left alone.
      if (now.cases.some((each) => each.name === test.name && each.open && each.reach === 'runs')) continue;
      for (const name of test.uses) {
        if (after.has(name) || told.has(name) || name === 'default' || isGone(name, texts)) continue;
        told.add(name);
        seen.push({
          file: path,
          line: null,
          rule: 'test_without_subject',
          message: `no test looks at ${name} any more, which is still there`,
          weight: 'fails',
        });
      }
    }
  }
  return seen;
}

/** Names in what runs before each test of a file, if it has tests that ask anything of what the code made. */
function preparedNames(tests: readonly ReadCase[]): Set<string> {
  const names = new Set<string>();
  if (!tests.some(({ attached }) => attached)) return names;
  let root = tests[0]?.node ?? null;
  while (root?.parent) root = root.parent;
  for (const node of root?.walk() ?? [])
    if (
      (node.type === 'call_expression' &&
        /^(?:beforeEach|beforeAll|before)$/.test(node.child('function')?.text ?? '')) ||
      (node.type === 'function_definition' && /^(?:async)?set_?up/i.test(node.child('name')?.text ?? ''))
    )
      for (const each of node.walk()) if (each.type === 'identifier') names.add(each.text);
  return names;
}

/** Whether the patch takes a name out of the source, be it for another one. */
function isGone(name: string, texts: readonly ChangedText[]): boolean {
  const has = (text: string | null): boolean =>
    text !== null && new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}(?![\\w$])`).test(text);
  const sources = texts.filter(
    ({ path }) => !/(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:test|spec)\.|(?:^|\/)test_/.test(path),
  );
  return sources.some(({ before }) => has(before)) && !sources.some(({ after }) => has(after));
}
