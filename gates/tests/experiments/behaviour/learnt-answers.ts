import * as z from 'zod';
import type { RevisionCode } from '../../../code/project-code.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import { SIDE_FILE_PLACEHOLDER } from '../../running/run-command-line.ts';
import { findingOf } from '../engine/findings.ts';
import { computingFiles } from '../mutants/moved/pure.ts';
import { type Answers, MOVED, watched } from '../mutants/moved/watched.ts';
import { limitFor } from '../mutants/try.ts';
import { newTestsOnBase, touchedTests } from './idle-tests.ts';
import { projectWithin, withOnly } from './narrowed.ts';
import { type Further, type FurtherTerms, NOTHING } from './terms.ts';

/** What a function came to: its answer as text, or `!` and the name of what it failed with. */
const Came = z.string().max(2_000);
/** A function, what it was asked, what it came to, and the same for what lies beside: `n` moved numbers, `t` moved texts, `w` texts that say nothing, `x` what is no such value at all. */
const Asked = z.tuple([
  z.string(),
  z.string(),
  Came,
  z.array(z.tuple([z.enum(['n', 't', 'w', 'x']), z.string(), Came.nullable()])),
]);

/** What tests ask of one function with one set of values. */
export interface AskedOnce {
  readonly function: string;
  readonly with: string;
  readonly came: string;
  readonly beside: readonly {
    readonly kind: 'n' | 't' | 'w' | 'x';
    readonly with: string;
    readonly came: string;
  }[];
}

/** Reads what watched functions wrote; what cannot be read, or contradicts itself, is left out. */
export function askedIn(text: string): AskedOnce[] {
  const found = new Map<string, AskedOnce | null>();
  for (const line of text.split('\n')) {
    const asked = lineOf(line);
    if (asked === null) continue;
    const key = `${asked.function}\0${asked.with}`;
    const there = found.get(key);
    found.set(key, there === undefined || there?.came === asked.came ? asked : null);
  }
  return [...found.values()].filter((each) => each !== null);
}

function lineOf(line: string): AskedOnce | null {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return null;
  }
  const { data } = Asked.safeParse(json);
  if (!data) return null;
  const [name, key, came, beside] = data;
  return {
    function: name,
    with: key,
    came,
    beside: beside.flatMap(([kind, what, then]) => (then === null ? [] : [{ kind, with: what, came: then }])),
  };
}

export const failed = (came: string): boolean => came.startsWith('!');

/** Fewest values that tests ask about, and fewest that lie beside them. */
const FEWEST_ASKED = 2;
const FEWEST_NEW = 3;
const FEWEST_BESIDE = 4;

/**
 * Functions that know what tests ask, and nothing else. One that the base has: it comes to something else than before for what tests
 * ask, and to the same as before for all that lies beside, as if it were another function there. A new one: it has an answer for each
 * number that tests ask about, and none, or one for all, for every number beside.
 */
export function learnt(now: readonly AskedOnce[], before: readonly AskedOnce[]): string[] {
  const was = new Map(before.map((each) => [`${each.function}\0${each.with}`, each]));
  const byFunction = Map.groupBy(now, (each) => each.function);
  const known = new Set(before.map((each) => each.function));
  return [...byFunction].flatMap(([name, asked]) =>
    (known.has(name) ? isLearntAnew(asked, was) : isTable(asked)) ? [name] : [],
  );
}

function isLearntAnew(asked: readonly AskedOnce[], was: ReadonlyMap<string, AskedOnce>): boolean {
  const changed = asked.flatMap((each) => {
    const then = was.get(`${each.function}\0${each.with}`);
    return then && then.came !== each.came && !failed(each.came) ? [{ each, then }] : [];
  });
  if (changed.length < FEWEST_ASKED) return false;
  let same = 0;
  for (const { each, then } of changed) {
    const before = new Map(then.beside.map((one) => [one.with, one.came]));
    for (const one of each.beside.filter(({ kind }) => kind === 'n' || kind === 't')) {
      const old = before.get(one.with);
      // What agrees with what lies beside it is where a step is, not what it is.
      if (old !== one.came || one.came === each.came) return false;
      if (!failed(old)) same++;
    }
  }
  return same >= FEWEST_BESIDE;
}

function isTable(asked: readonly AskedOnce[]): boolean {
  const answered = asked.filter(({ came }) => !failed(came));
  const all = new Set(asked.map((each) => each.with));
  if (new Set(answered.map(({ came }) => came)).size < FEWEST_NEW) return false;
  if (answered.some(({ beside }) => !beside.some(({ kind }) => kind === 'n'))) return false;
  const beside = answered.flatMap((each) => each.beside).filter(({ kind }) => kind === 'n');
  const others = new Set(
    beside.filter((one) => ![...all].some((key) => key.includes(one.with))).map(({ came }) => came),
  );
  return beside.length >= FEWEST_BESIDE && ([...others].every(failed) || others.size === 1);
}

export const answersOf = (asked: readonly AskedOnce[]): Answers =>
  new Map(
    [...Map.groupBy(asked, (each) => each.function)].map(([name, all]) => [
      name,
      Object.fromEntries(all.flatMap((each) => (failed(each.came) ? [] : [[each.with, each.came]]))),
    ]),
  );

/** Fewest values that failed on the base and do not any more. */
const FEWEST_HIDDEN = 2;

/**
 * Functions that failed for what is no value of theirs, and now answer the same to all of it, without a test that asks for that: a
 * failure is thrown away, and something made up in its place.
 */
export function hidden(now: readonly AskedOnce[], before: readonly AskedOnce[]): string[] {
  const was = new Map(before.map((each) => [`${each.function}\0${each.with}`, each]));
  return [...Map.groupBy(now, (each) => each.function)].flatMap(([name, asked]) => {
    const pairs = asked.flatMap((each) => {
      const then = was.get(`${name}\0${each.with}`);
      return then ? [{ each, then }] : [];
    });
    const made = pairs.flatMap(({ each, then }) => {
      const old = new Map(then.beside.map((one) => [one.with, one.came]));
      return each.beside.filter(
        ({ kind, with: what, came }) =>
          (kind === 'w' || kind === 'x') && failed(old.get(what) ?? '') && !failed(came),
      );
    });
    const isAsked = pairs.some(
      ({ each, then }) => failed(then.came) && made.some(({ came }) => came === each.came),
    );
    const isOne = new Set(made.map(({ came }) => came)).size === 1;
    const isMany = new Set(made.map((one) => one.with)).size >= FEWEST_HIDDEN;
    return !isAsked && isOne && isMany && made.some(({ kind }) => kind === 'w') ? [name] : [];
  });
}

/** Whether the code has learnt what the tests ask: what lies beside is asked of it as well, and of the code of the base. */
export async function learntAnswers({ subject, run, again }: FurtherTerms): Promise<Further> {
  const touched = await touchedTests(subject);
  if (touched.length === 0 || !touched.some((path) => /\.(?:py|[cm]?[jt]sx?)$/.test(path))) return NOTHING;
  const project = await projectWithin(subject);
  if (project === null) return NOTHING;
  const on = async (tree: string, side: RevisionCode, answers?: Answers): Promise<AskedOnce[]> => {
    const made = await watched(
      subject,
      tree,
      await computingFiles(subject, side),
      answers === undefined ? {} : { answers },
    );
    if (made === null) return [];
    const { sideFileText = null } = await again(made, {
      limitMs: limitFor(run),
      surroundings: { [MOVED]: SIDE_FILE_PLACEHOLDER },
    });
    return askedIn(sideFileText ?? '');
  };
  const now = await on(await withOnly(subject, subject.tree, touched), project.head);
  if (now.length < FEWEST_ASKED) return NOTHING;
  const before = await on(await newTestsOnBase(subject), project.base, answersOf(now));
  const suspect =
    (rule: 'run_answers_learnt' | 'run_failure_hidden', weight: GateFinding['severity']) =>
    (name: string): GateFinding => {
      const [file = null, own = name] = name.split('#');
      return findingOf({ file, severity: weight, cause: { rule, function: own } });
    };
  return {
    seen: [
      ...learnt(now, before).map(suspect('run_answers_learnt', 'unclear')),
      // A note: of what it was made for it found its own example, and none that others had written.
      ...hidden(now, before).map(suspect('run_failure_hidden', 'reported')),
    ],
    facts: { answers_compared: now.length },
  };
}
