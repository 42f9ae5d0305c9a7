import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { GateResult } from '../../core/gate.ts';
import { resultOf, type Seen } from '../../core/seen.ts';
import type { TestResult } from '../../core/test-result.ts';
import type { Stops } from '../../languages/tool.ts';
import { ranIn } from '../../reports/report.ts';
import type { AddedLines } from '../running/added-lines.ts';
import type { Execution } from '../running/execution.ts';
import { type Blame, isOwn, judged } from '../running/judge.ts';
import type { BaseAnswer } from './answer.ts';
import type { AskBase } from './ask.ts';
import { compareTests, lostTests, type SeenTest } from './compare.ts';
import type { FlakyAnswer, FlakyQuestion } from './flaky-look.ts';
import type { WrittenTests } from './written.ts';

export interface Terms {
  /** What is run, as people call it. */
  readonly what?: string;
  readonly stops?: Stops;
  readonly blame: Blame;
  /** Lines that the patch wrote; not needed where everything new fails. */
  readonly added?: AddedLines;
  /** Null: the base does not count, as for a command that looks at the base itself. */
  readonly base: AskBase | null;
  /** Tests that the patch wrote; absent: it is no run of tests. */
  readonly written?: () => Promise<WrittenTests>;
  /** Whether the runner stops at its first failure. */
  readonly failsFast?: boolean;
  /** Looks for tests that fail now and then; absent: nobody asked for that. */
  readonly flaky?: (question: FlakyQuestion) => Promise<FlakyAnswer>;
}

const NO_TESTS = '; flaky_detection: nobody names the tests, so there is nothing to work on';
const kind = 'executed_by_us';
const NOTHING: AddedLines = { has: () => false };

/** What a run on a tree is worth, compared with the same on the base where that is needed. */
export async function resultOn(run: Execution, terms: Terms): Promise<GateResult> {
  const { report, outcome, detail, cases } = run;
  const tests = cases ? { tests: cases } : {};
  const said = terms.flaky && cases === null ? `${detail}${NO_TESTS}` : detail;
  const plain = { outcome, kind, findings: [], detail: said, ...tests } as const;
  if (outcome !== 'passed' && outcome !== 'failed') return plain;
  const ran = cases === null ? null : ranIn(cases);
  if (cases !== null && ran === 0 && outcome === 'passed' && report?.complaints.length === 0)
    return nothingRan(plain, cases, terms);
  if (report === null)
    return outcome === 'passed' || terms.base === null
      ? plain
      : unexplained(plain, await terms.base(), terms);
  const clean = ran === null ? `exit ${run.ran.exitCode}` : `${ran} tests ran`;
  const facts: GateEvidence['metadata'] = ran === null ? {} : { tests: ran };
  const { blame, added = NOTHING } = terms;
  // The base is asked only when something needs it.
  const asks = report.complaints.some((each) => blame === 'not_in_base' || !isOwn(each, added));
  const base = asks && terms.base ? await terms.base() : null;
  const compared = base === null ? {} : factsOf(base);
  if (base === null && cases !== null && report.complaints.length === 0)
    return withFlaky(run, { seen: [], base, cases, clean, facts }, terms);
  if (base === null || cases === null || !terms.written) {
    const seen: Seen[] = judged(report.complaints, blame, added, base?.complaints ?? []).map((each) =>
      unlessStopped(each, terms),
    );
    return { ...resultOf(seen, clean, { ...facts, ...compared }), kind, ...tests };
  }
  if (base.outcome === 'failed' && base.complaints === null) return unexplained(plain, base, terms);
  const seen = compareTests({
    run,
    base,
    written: await terms.written(),
    failsFast: terms.failsFast ?? false,
  });
  return withFlaky(run, { seen, base, cases, clean, facts: { ...facts, ...compared } }, terms);
}

interface Tested extends Pick<FlakyQuestion, 'seen' | 'base' | 'cases'> {
  readonly clean: string;
  readonly facts: GateEvidence['metadata'];
}

async function withFlaky(
  run: Execution,
  { seen, base, cases, clean, facts }: Tested,
  { flaky, failsFast = false }: Terms,
): Promise<GateResult> {
  const looked = flaky ? await flaky({ run, cases, seen, base, failsFast }) : { seen, note: null };
  const result = resultOf(looked.seen.map(withoutTest), clean, facts);
  const detail = looked.note === null ? result.detail : `${result.detail}; flaky_detection: ${looked.note}`;
  return { ...result, detail, kind, tests: cases };
}

/** A run of no test is no pass, unless the patch took away all that the base has, which others look at. */
async function nothingRan(
  plain: GateResult,
  cases: readonly TestResult[],
  { base, written }: Terms,
): Promise<GateResult> {
  const inert = { ...plain, outcome: 'inert', detail: 'no test ran' } as const;
  const before = await base?.();
  if (!before?.cases || ranIn(before.cases) === 0 || !written) return inert;
  const lost = lostTests(cases, before, await written());
  if (lost.length > 0) return { ...plain, ...resultOf(lost.map(withoutTest), '', factsOf(before)), kind };
  return { ...plain, detail: 'no test ran: the patch takes them all away', metadata: factsOf(before) };
}

/**
 * What keeps a tool from looking further is no complaint to be left alone, wherever it stands: nobody knows what it would have found.
 * Code that the patch breaks is the patch's; what was broken before, and keeps the tool from the patch's lines, is for a person.
 */
function unlessStopped(each: Seen, { stops, added = NOTHING }: Terms): Seen {
  if (each.weight === 'fails' || !stops?.rules.test(each.rule)) return each;
  const touched = each.file === null || added.has(each.file, null);
  if (touched && each.weight === 'reported') return { ...each, weight: 'fails' };
  return touched || stops.at === 'all' ? { ...each, weight: 'unclear' } : each;
}

const withoutTest = ({ testCase, ...seen }: SeenTest): Seen => seen;

/** A run that failed without a word on what. When the base fails too, nobody can tell whose failure it is. */
function unexplained(plain: GateResult, base: BaseAnswer, { what = 'the command' }: Terms): GateResult {
  const metadata = factsOf(base);
  if (base.outcome === 'passed') return { ...plain, metadata };
  if (base.outcome !== 'failed')
    return {
      ...plain,
      detail: `${plain.detail}\nthe base could not be asked: ${base.outcome}: ${base.detail}`,
      metadata,
    };
  if (base.cases !== null && plain.tests === undefined)
    return {
      ...plain,
      outcome: 'failed',
      detail: `the run broke: on the base it fails too, but reports ${base.cases.length} tests; now it reports none: ${plain.detail}`,
      metadata,
    };
  const before = base.detail === plain.detail ? '' : `\nOn the base: ${base.detail}`;
  return {
    ...plain,
    outcome: 'inert',
    // Nothing tells old failures from new ones.
    detail: `${what} breaks on the base too: ${plain.detail}${before}`.slice(0, 4_000),
    metadata,
  };
}

/** What shows that the base was asked, and not believed. */
const factsOf = ({ outcome, kept, cases, complaints }: BaseAnswer): GateEvidence['metadata'] => ({
  baseline: kept ? 'kept' : 'run',
  baseline_outcome: outcome,
  ...(cases === null ? {} : { baseline_tests: ranIn(cases) }),
  ...(complaints === null ? {} : { baseline_findings: complaints.length }),
});
