import { randomUUID } from 'node:crypto';
import type { FlakySettings } from '../../core/flaky-settings.ts';
import type { GateContext } from '../../core/gate.ts';
import { type MemoryKey, memoryKey } from '../../core/memory.ts';
import { type TestResult, testId } from '../../core/test-result.ts';
import type { Execution } from '../running/execution.ts';
import type { BaseAnswer } from './answer.ts';
import { doubtsOf, type SeenTest } from './compare.ts';
import { History, NO_HISTORY, type Observation, type Recorded, record } from './flaky-history.ts';
import { repositoryOf } from './flaky-repository.ts';
import { type WrittenTests, writtenFiles, writtenTests } from './written.ts';

/** One run of the tests on a tree of the patch. */
export interface FlakyQuestion {
  readonly run: Execution;
  readonly cases: readonly TestResult[];
  readonly seen: readonly SeenTest[];
  /** Null: nobody needed to ask the base. */
  readonly base: BaseAnswer | null;
  readonly failsFast: boolean;
}

export interface FlakyAnswer {
  readonly seen: readonly SeenTest[];
  /** For the detail. */
  readonly note: string | null;
}

export interface FlakyOptions {
  readonly settings: FlakySettings;
  /** What is run: a line, or a tool with all that belongs to it. */
  readonly what: unknown;
  /** Runs the same on the same tree in a fresh checkout. Null: this tree is none of the patch alone, and says nothing new. */
  readonly again: (() => Promise<Execution>) | null;
}

/**
 * Excuses the failures of tests in quarantine, reports every quarantined test, and writes down how the tests have fared.
 *
 * Whoever writes a patch could make a test fail now and then to have it excused. So a failure counts only when it happened on the
 * base's own tree, or when the same test passed on the very same tree, and not when the patch touches the test; what is in quarantine
 * is run all the same; and what the patch touches or adds is never excused.
 */
export async function lookForFlaky(
  context: GateContext,
  { run, cases, seen, base, failsFast }: FlakyQuestion,
  { settings, what, again }: FlakyOptions,
): Promise<FlakyAnswer> {
  const { subject, history = null } = context;
  if (history === null) return { seen, note: 'no history of the tests is kept here' };
  const key = memoryKey('history', { schema: 2, repository: await repositoryOf(context), what });
  const known = History.safeParse(await history.get(key)).data ?? NO_HISTORY;
  const written = writtenTests(await writtenFiles(subject));
  const failures = seen.filter((each) => each.weight === 'fails' && each.testCase !== null);
  const passedAgain =
    again && failures.length > 0 ? passedIn((await again()).cases ?? []) : new Set<string>();
  const judge = { known, base, written, passedAgain };
  const judged = seen.map((each) => judgeFailure(each, judge));
  const excused = judged.filter(({ rule }) => rule === QUARANTINED).length > 0;
  const doubts =
    excused && base && !seen.some(({ weight }) => weight === 'before')
      ? doubtsOf({ run, base, written, failsFast })
      : [];
  const all = [...judged, ...doubts, ...quarantinedIn(known, cases, judged)];
  if (!again) return { seen: all, note: null };
  const observed = observations(context, { cases, failures, base, written, passedAgain });
  return { seen: [...all, ...(await keep(history, key, observed, settings))], note: null };
}

const QUARANTINED = 'flaky_quarantined';

interface Judge {
  readonly known: History;
  readonly base: BaseAnswer | null;
  readonly written: WrittenTests;
  readonly passedAgain: ReadonlySet<string>;
}

function judgeFailure(each: SeenTest, { known, base, written, passedAgain }: Judge): SeenTest {
  const { testCase: test, message } = each;
  if (each.weight !== 'fails' || test === null) return each;
  const id = testId(test);
  const repeated = passedAgain.has(id)
    ? `${message}; it passed when it was run again on the same tree`
    : message;
  const since = known.tests[id]?.quarantined ?? null;
  if (since === null) return { ...each, message: repeated };
  if (written.isTouched(test) || !(base?.cases ?? []).some((other) => testId(other) === id))
    return {
      ...each,
      message: `${repeated}; it is in quarantine, which does not count for tests that the patch touches or adds`,
    };
  const { baseline: _, ...rest } = each;
  return {
    ...rest,
    rule: QUARANTINED,
    message: `${repeated}; in quarantine since ${since.slice(0, 10)} because it fails now and then, so this does not fail the patch`,
    weight: 'reported',
  };
}

/** Quarantined tests that did not fail are reported all the same: they must not be forgotten. */
function quarantinedIn(
  known: History,
  cases: readonly TestResult[],
  judged: readonly SeenTest[],
): SeenTest[] {
  const said = new Set(judged.flatMap(({ testCase: test }) => (test ? [testId(test)] : [])));
  const now = new Map(cases.map((test) => [testId(test), test]));
  return Object.entries(known.tests).flatMap(([id, { quarantined }]): SeenTest[] => {
    if (quarantined === null || said.has(id)) return [];
    const outcome = now.get(id)?.outcome ?? null;
    const how = outcome === null ? 'was not run' : outcome === 'skipped' ? 'was skipped' : outcome;
    return [
      about(
        id,
        QUARANTINED,
        `${how}; in quarantine since ${quarantined.slice(0, 10)} because it fails now and then`,
      ),
    ];
  });
}

function about(id: string, rule: string, said: string): SeenTest {
  const [file, name] = JSON.parse(id) as [string | null, string];
  const message = `${name}: ${said}`;
  return { file, line: null, rule, test: name, message, weight: 'reported', testCase: null };
}

const passedIn = (cases: readonly TestResult[]): Set<string> => {
  const failed = new Set(cases.filter(({ outcome }) => outcome === 'failed').map(testId));
  const passed = cases.filter(({ outcome }) => outcome === 'passed').map(testId);
  return new Set(passed.filter((id) => !failed.has(id)));
};

interface Seen {
  readonly cases: readonly TestResult[];
  readonly failures: readonly SeenTest[];
  readonly base: BaseAnswer | null;
  readonly written: WrittenTests;
  readonly passedAgain: ReadonlySet<string>;
}

function observations(
  { subject, task = null }: GateContext,
  { cases, failures, base, written, passedAgain }: Seen,
): Observation[] {
  const at = new Date().toISOString();
  const source = task === null ? 'local' : `task:${task.id}`;
  const onBase = `base:${subject.base}`;
  const own = failures.flatMap(({ testCase: test }) =>
    test && passedAgain.has(testId(test)) && !written.isTouched(test) ? [testId(test)] : [],
  );
  return [
    // What was looked up has been written down when it was run.
    ...(base && !base.kept && base.cases
      ? [
          {
            id: onBase,
            at,
            source: onBase,
            tree: subject.base,
            passed: passedIn(base.cases),
            failed: new Set(base.cases.filter(({ outcome }) => outcome === 'failed').map(testId)),
          },
        ]
      : []),
    {
      id: `${source} ${randomUUID()}`,
      at,
      source,
      tree: subject.tree,
      passed: passedIn(cases),
      failed: new Set(own),
    },
  ];
}

async function keep(
  history: NonNullable<GateContext['history']>,
  key: MemoryKey,
  observed: readonly Observation[],
  settings: FlakySettings,
): Promise<SeenTest[]> {
  let steps: Recorded[] = [];
  await history.update(key, (value) => {
    // Called again when somebody else has written in between: what counts is the last time.
    steps = [];
    let now = History.safeParse(value).data ?? NO_HISTORY;
    for (const each of observed) {
      const step = record(now, each, settings);
      now = step.history;
      steps.push(step);
    }
    return now;
  });
  return steps.flatMap(({ entered, released }) => [
    ...entered.map((id) =>
      about(
        id,
        'flaky_found',
        'fails now and then; from now on it is in quarantine: it is run and reported, and fails no patch',
      ),
    ),
    ...released.map((id) => about(id, 'flaky_released', 'has passed for long enough and leaves quarantine')),
  ]);
}
