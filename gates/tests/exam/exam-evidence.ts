import type { CheckOutcome } from '../../../shared/contract/check-outcome.ts';
import {
  ACCEPTANCE_TESTS_GATE,
  CHALLENGE_GATE,
  COUNTEREXAMPLES_GATE,
} from '../../../shared/contract/evidence/gate-names.ts';
import type { CheckFinding, GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type {
  Challenge,
  ChallengeOutcome,
  CounterexampleResult,
  Exam,
  ExamMode,
  ExamPointOutcome,
  ExamPointResult,
  IndependentEvidence,
} from '../../../shared/contract/exam.ts';
import { formatCount } from '../../../shared/lib/format.ts';

/** Requirements that a sentence names; the evidence has all. */
const MAX_NAMED = 5;

type RequirementState = 'met' | 'not_met' | 'not_run' | 'dropped';

/** State of each requirement: its worst point counts; points that were dropped count only where there is no other. */
function summarizeRequirements(points: readonly ExamPointResult[]): ReadonlyMap<string, RequirementState> {
  const groups = Map.groupBy(points, ({ requirement }) => requirement);
  const worstFirst: readonly RequirementState[] = ['not_met', 'not_run', 'met', 'dropped'];
  return new Map(
    [...groups].map(([requirement, all]) => [
      requirement,
      worstFirst.find((state) => all.some(({ result }) => result.outcome === state)) ?? 'dropped',
    ]),
  );
}

/** Builds `7 of 8 requirements tested; 6 met; not met: all or nothing`. */
export function describeRequirements({
  total,
  tested,
  met,
  not_met,
}: IndependentEvidence['requirements']): string {
  const named = not_met.slice(0, MAX_NAMED).join(', ');
  const more = not_met.length > MAX_NAMED ? ` and ${not_met.length - MAX_NAMED} more` : '';
  return `${tested} of ${formatCount(total, 'requirement')} tested; ${met} met${not_met.length === 0 ? '' : `; not met: ${named}${more}`}`;
}

/** Builds `2 points dropped: flaky on base`; null: none is in this state. */
function describeReasons(
  what: string,
  results: readonly ExamPointOutcome[],
  state: 'dropped' | 'not_run',
): string | null {
  const reasons = results.flatMap((each) =>
    each.outcome === state && 'reason' in each ? [each.reason] : [],
  );
  if (reasons.length === 0) return null;
  const named = [...new Set(reasons)].map((reason) => reason.replaceAll('_', ' ')).join(', ');
  return `${formatCount(reasons.length, what)} ${state === 'dropped' ? 'dropped' : 'not run'}: ${named}`;
}

/** Counts failing tests that count, and those that the adjudicator found not demanded or minor: the precision of their author. */
const countAdjudicated = (results: readonly ExamPointOutcome[]) => ({
  upheld: results.filter(({ outcome }) => outcome === 'not_met').length,
  not_demanded: results.filter(
    (each) => each.outcome === 'dropped' && (each.reason === 'not_demanded' || each.reason === 'minor'),
  ).length,
});

const noun = (text: string | null): string[] => (text === null ? [] : [text]);

/** Whether a point that fails on the base has a result on the patched tree. */
const showsChange = (exam: Exam, points: readonly ExamPointResult[]): boolean =>
  points.some(
    ({ index, result }) =>
      exam.points[index]?.on_base === 'fails' && (result.outcome === 'met' || result.outcome === 'not_met'),
  );

/** Decides what the points of an exam say together, and why where the requirements alone do not show it. */
function decideExam(
  exam: Exam,
  points: readonly ExamPointResult[],
): { outcome: CheckOutcome; why: string | null } {
  if (exam.points.length === 0)
    return {
      outcome: 'skipped',
      why: `the task is too vague to test: ${formatCount(exam.questions.length, 'question')}`,
    };
  const has = (state: ExamPointOutcome['outcome']): boolean =>
    points.some(({ result }) => result.outcome === state);
  if (has('not_met'))
    return has('met')
      ? { outcome: 'failed', why: null }
      : {
          outcome: 'could_not_run',
          why: 'no acceptance test passes on either tree, so nothing shows that they can be satisfied',
        };
  if (has('not_run')) return { outcome: 'could_not_run', why: null };
  if (!has('met'))
    return { outcome: 'could_not_run', why: 'no point behaves on the base as its author said' };
  if (!showsChange(exam, points) && !exam.keeps_behaviour)
    return {
      outcome: 'could_not_run',
      why: 'no acceptance test fails on the base, so none shows the change',
    };
  return { outcome: 'passed', why: null };
}

type EntryInput = Pick<GateEvidence, 'name' | 'outcome' | 'findings' | 'detail' | 'duration_ms' | 'facts'> & {
  readonly independent: IndependentEvidence;
};

function buildEntry({ independent, ...entry }: EntryInput): GateEvidence {
  const decides = independent.mode === 'gate' && entry.outcome !== 'skipped';
  return {
    ...entry,
    kind: 'executed',
    required: decides,
    blocked: decides && entry.outcome === 'failed',
    cached: false,
    independent,
  };
}

/** Builds the evidence of an exam. It names requirements; no test, message or line of the exam is part of it. */
export function buildExamEvidence(
  exam: Exam,
  points: readonly ExamPointResult[],
  mode: ExamMode,
  durationMs: number,
): GateEvidence {
  const states = [...summarizeRequirements(points)];
  const withState = (state: RequirementState): string[] =>
    states.flatMap(([requirement, each]) => (each === state ? [requirement] : []));
  const not_met = withState('not_met');
  const met = withState('met').length;
  const requirements = { total: states.length, tested: met + not_met.length, met, not_met };
  const { outcome, why } = decideExam(exam, points);
  const results = points.map(({ result }) => result);
  const findings = not_met.map(
    (requirement): CheckFinding => ({
      file: null,
      line: null,
      rule: 'requirement_not_met',
      message: requirement,
      baseline: 'new',
    }),
  );
  return buildEntry({
    name: ACCEPTANCE_TESTS_GATE,
    outcome,
    findings,
    detail: [
      ...(states.length === 0 ? [] : [describeRequirements(requirements)]),
      ...noun(why),
      ...noun(describeReasons('point', results, 'not_run')),
      ...noun(describeReasons('point', results, 'dropped')),
    ].join('; '),
    duration_ms: durationMs,
    facts: {
      requirements: requirements.total,
      requirements_tested: requirements.tested,
      requirements_met: met,
      shows_change: showsChange(exam, points),
      points_dropped: results.filter((each) => each.outcome === 'dropped').length,
      ...countAdjudicated(results),
    },
    independent: {
      mode,
      points: [...points],
      counterexamples: [],
      open: exam.open,
      questions: exam.questions,
      requirements,
    },
  });
}

/** Builds the evidence of an exam that was to be written and is not there: nothing independent shows that the task was done. */
export function buildMissingExamEvidence(
  {
    outcome,
    why,
    wasAsked,
  }: { readonly outcome: CheckOutcome; readonly why: string; readonly wasAsked: boolean },
  mode: ExamMode,
): GateEvidence {
  const requirements = { total: 0, tested: 0, met: 0, not_met: [] };
  const entry = buildEntry({
    name: ACCEPTANCE_TESTS_GATE,
    outcome: wasAsked ? outcome : 'skipped',
    findings: [],
    detail: why,
    duration_ms: 0,
    facts: {},
    independent: { mode, points: [], counterexamples: [], open: [], questions: [], requirements },
  });
  return entry;
}

/**
 * Builds the evidence of counterexamples that earlier attempts left. Each was decided to be demanded when it was found; failing
 * neighbours are decided now.
 */
export function buildEarlierCounterexampleEvidence(
  exams: readonly Exam[],
  points: readonly ExamPointResult[],
  mode: ExamMode,
  durationMs: number,
): GateEvidence {
  const states = [...summarizeRequirements(points)];
  const not_met = states.flatMap(([requirement, state]) => (state === 'not_met' ? [requirement] : []));
  const met = states.filter(([, state]) => state === 'met').length;
  const results = points.map(({ result }) => result);
  const has = (state: ExamPointOutcome['outcome']): boolean =>
    results.some(({ outcome }) => outcome === state);
  return buildEntry({
    name: COUNTEREXAMPLES_GATE,
    outcome: has('not_met') ? 'failed' : has('not_run') ? 'could_not_run' : has('met') ? 'passed' : 'skipped',
    findings: not_met.map(
      (requirement): CheckFinding => ({
        file: null,
        line: null,
        rule: 'counterexample_again',
        message: `${requirement}: inputs close to an earlier counterexample still fail`,
        baseline: 'new',
      }),
    ),
    detail: [
      `${formatCount(exams.length, 'counterexample')} of earlier attempts: ${results.filter(({ outcome }) => outcome === 'met').length} of ${formatCount(points.length, 'test')} pass`,
      ...noun(not_met.length === 0 ? null : `not met: ${not_met.slice(0, MAX_NAMED).join(', ')}`),
      ...noun(describeReasons('test', results, 'not_run')),
      ...noun(describeReasons('test', results, 'dropped')),
    ].join('; '),
    duration_ms: durationMs,
    facts: { counterexamples: exams.length, counterexamples_held: not_met.length },
    independent: {
      mode,
      points: [...points],
      counterexamples: [],
      open: [],
      questions: [],
      requirements: { total: states.length, tested: met + not_met.length, met, not_met },
    },
  });
}

/**
 * Builds the evidence of a challenge that gave an answer. Without a counterexample that holds it is an opinion: `judged`, and never a
 * pass.
 */
export function buildChallengeEvidence(
  { p_wrong, requirements }: Pick<Challenge, 'p_wrong' | 'requirements'>,
  counterexamples: readonly CounterexampleResult[],
  mode: ExamMode,
  durationMs: number,
): GateEvidence {
  const entry = buildCounterexampleEvidence(counterexamples, mode, durationMs);
  const isHeld = entry.outcome === 'failed';
  const outcome: ChallengeOutcome = isHeld
    ? 'counterexample'
    : entry.outcome === 'could_not_run'
      ? 'undecided'
      : 'nothing_found';
  const count = (state: (typeof requirements)[number]['state']): number =>
    requirements.filter((each) => each.state === state).length;
  const opinion =
    requirements.length === 0
      ? null
      : `in the challenger's opinion ${count('met')} of ${formatCount(requirements.length, 'requirement')} met, ${count('not_met')} not met, ${count('unclear')} unclear`;
  return {
    ...entry,
    name: CHALLENGE_GATE,
    kind: isHeld ? 'executed' : 'judged',
    required: mode === 'gate',
    detail: [outcome === 'nothing_found' ? 'nothing found' : null, entry.detail, opinion]
      .filter((each) => each !== null)
      .join('; '),
    facts: { ...entry.facts, challenge: outcome, p_wrong },
    ...(entry.independent && {
      independent: { ...entry.independent, challenge: { outcome, p_wrong, requirements: [...requirements] } },
    }),
  };
}

/** Builds the evidence of counterexamples. One failing input of each is shown; its neighbours and its code stay hidden. */
export function buildCounterexampleEvidence(
  counterexamples: readonly CounterexampleResult[],
  mode: ExamMode,
  durationMs: number,
): GateEvidence {
  const held = counterexamples.filter(({ result }) => result.outcome === 'not_met');
  const results = counterexamples.map(({ result }) => result);
  const isNotRun = results.some((each) => each.outcome === 'not_run');
  const not_met = [...new Set(held.map(({ requirement }) => requirement))];
  return buildEntry({
    name: COUNTEREXAMPLES_GATE,
    // A challenger that found nothing proves nothing.
    outcome: held.length > 0 ? 'failed' : isNotRun ? 'could_not_run' : 'skipped',
    findings: held.map(
      ({ file, line, requirement, input, kind }): CheckFinding => ({
        file,
        line,
        rule: `counterexample_${kind}`,
        message: `${requirement}: wrong for ${input}`,
        baseline: 'new',
      }),
    ),
    detail: [
      `${held.length} of ${formatCount(counterexamples.length, 'counterexample')} hold${held.length === 0 ? '' : `: ${not_met.slice(0, MAX_NAMED).join(', ')}`}`,
      ...noun(describeReasons('counterexample', results, 'not_run')),
      ...noun(describeReasons('counterexample', results, 'dropped')),
    ].join('; '),
    duration_ms: durationMs,
    facts: {
      counterexamples: counterexamples.length,
      counterexamples_held: held.length,
      ...countAdjudicated(results),
    },
    independent: {
      mode,
      points: [],
      counterexamples: [...counterexamples],
      open: [],
      questions: [],
      requirements: { total: not_met.length, tested: not_met.length, met: 0, not_met },
    },
  });
}
