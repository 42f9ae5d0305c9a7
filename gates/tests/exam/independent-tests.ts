import type { CheckOutcome } from '../../../shared/contract/check-outcome.ts';
import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { Counterexample, Exam, ExamMode, ExamPointResult } from '../../../shared/contract/exam.ts';
import {
  buildCounterexampleEvidence,
  buildEarlierCounterexampleEvidence,
  buildExamEvidence,
  buildMissingExamEvidence,
} from './exam-evidence.ts';
import {
  type ExamAdjudicator,
  type ExamPatch,
  runCounterexamples,
  runExamOnPatch,
  validateExamOnBase,
} from './run-exam.ts';
import type { PointOnBase } from './validate-on-base.ts';

/** Time limit of one run of acceptance tests, in seconds. */
export const DEFAULT_ACCEPTANCE_TEST_TIMEOUT_S = 300;

/** What is recorded of the calls that made an exam. */
export type IndependentTestsFacts = GateEvidence['facts'];

/** Why there is no exam although somebody was to write one. */
export interface MissingExam {
  readonly outcome: CheckOutcome;
  readonly why: string;
  /** A model was asked and gave none: the task needs review. Otherwise nobody could be asked, and that is only noted. */
  readonly wasAsked: boolean;
}

/** Tests of somebody else than the patch's author, which are kept in memory until they run. */
export interface IndependentTests {
  readonly exam: Exam | null;
  readonly counterexamples: readonly Counterexample[];
  /** Counterexamples that held against earlier attempts, each with its neighbours; absent: none. */
  readonly earlier?: readonly Exam[];
  /** Absent: as the base commit's assay.yaml says. */
  readonly mode?: ExamMode;
  /** `base`: only validates the exam on the base. `both_trees`: runs no gate and no signal beside. Absent: everything runs. */
  readonly only?: 'base' | 'both_trees';
  /** Gets what the base says about each point, and the exam. */
  readonly onValidated?: (points: readonly PointOnBase[], exam: Exam | null) => Promise<void>;
  readonly facts?: IndependentTestsFacts;
  /** Set only where `exam` is null. */
  readonly missing?: MissingExam;
  /** Decides whether the task demands what a failing test asks; absent: it does. */
  readonly adjudicate?: ExamAdjudicator | null;
  /** Decides whether the task demands what a failing neighbour of an earlier counterexample asks; absent: it does. */
  readonly adjudicateNeighbours?: ExamAdjudicator | null;
}

/** Settings of `acceptance_tests` in assay.yaml. */
export interface IndependentTestSettings {
  readonly mode: ExamMode;
  /** Time limit of one run, in seconds. */
  readonly timeout_s: number | undefined;
}

/** The first test of each exam of an earlier counterexample was decided when it was found; its neighbours were not. */
const skipDecidedTest = (adjudicate: ExamAdjudicator | null): ExamAdjudicator | null =>
  adjudicate &&
  ((kind, failures) => {
    const undecided = failures.filter(({ index }) => index > 0);
    return undecided.length === 0 ? Promise.resolve(new Map()) : adjudicate(kind, undecided);
  });

/**
 * Validates an exam on the base, before anything of the patch runs.
 * @returns what runs it and the counterexamples on the patched tree.
 */
export async function prepareIndependentTests(
  subject: ExamPatch,
  {
    exam,
    counterexamples,
    earlier = [],
    facts = {},
    missing,
    adjudicate = null,
    adjudicateNeighbours = null,
    only,
    onValidated,
  }: IndependentTests,
  { mode, timeout_s = DEFAULT_ACCEPTANCE_TEST_TIMEOUT_S }: IndependentTestSettings,
): Promise<() => Promise<GateEvidence[]>> {
  const limitMs = timeout_s * 1_000;
  const startValidation = performance.now();
  const onBase = exam ? await validateExamOnBase(subject, exam, limitMs) : [];
  const validationMs = performance.now() - startValidation;
  const earlierOnBase: (readonly PointOnBase[])[] = [];
  for (const each of earlier) earlierOnBase.push(await validateExamOnBase(subject, each, limitMs));
  await onValidated?.(onBase, exam);
  return async () => {
    const entries: GateEvidence[] = [];
    if (only === 'base') return entries;
    const start = performance.now();
    if (exam) {
      const points = await runExamOnPatch(subject, exam, onBase, { limitMs, adjudicate });
      const entry = buildExamEvidence(
        exam,
        points,
        mode,
        Math.round(performance.now() - start + validationMs),
      );
      entries.push({ ...entry, facts: { ...facts, ...entry.facts } });
    } else if (missing) entries.push({ ...buildMissingExamEvidence(missing, mode), facts });
    const startEarlier = performance.now();
    if (earlier.length > 0) {
      const points: ExamPointResult[] = [];
      for (const [index, each] of earlier.entries())
        points.push(
          ...(await runExamOnPatch(subject, each, earlierOnBase[index] ?? [], {
            limitMs,
            adjudicate: skipDecidedTest(adjudicateNeighbours),
          })),
        );
      entries.push(
        buildEarlierCounterexampleEvidence(
          earlier,
          points.map((point, index) => ({ ...point, index })),
          mode,
          Math.round(performance.now() - startEarlier),
        ),
      );
    }
    const startChallenge = performance.now();
    if (counterexamples.length > 0) {
      const results = await runCounterexamples(subject, counterexamples, { limitMs, adjudicate });
      entries.push(
        buildCounterexampleEvidence(results, mode, Math.round(performance.now() - startChallenge)),
      );
    }
    return entries;
  };
}
