import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { Counterexample, Exam, ExamMode } from '../../../shared/contract/exam.ts';
import { buildCounterexampleEvidence, buildExamEvidence } from './exam-evidence.ts';
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

/** Tests of somebody else than the patch's author, which are kept in memory until they run. */
export interface IndependentTests {
  readonly exam: Exam | null;
  readonly counterexamples: readonly Counterexample[];
  /** Absent: as the base commit's assay.yaml says. */
  readonly mode?: ExamMode;
  /** `base`: only validates the exam on the base. `both_trees`: runs no gate and no signal beside. Absent: everything runs. */
  readonly only?: 'base' | 'both_trees';
  /** Gets what the base says about each point, for the exam's author. */
  readonly onValidated?: (points: readonly PointOnBase[]) => void;
  /** Decides whether the task demands what a failing test asks; absent: it does. */
  readonly adjudicate?: ExamAdjudicator | null;
}

/** Settings of `acceptance_tests` in assay.yaml. */
export interface IndependentTestSettings {
  readonly mode: ExamMode;
  /** Time limit of one run, in seconds. */
  readonly timeout_s: number | undefined;
}

/**
 * Validates an exam on the base, before anything of the patch runs.
 * @returns what runs it and the counterexamples on the patched tree.
 */
export async function prepareIndependentTests(
  subject: ExamPatch,
  { exam, counterexamples, adjudicate = null, only, onValidated }: IndependentTests,
  { mode, timeout_s = DEFAULT_ACCEPTANCE_TEST_TIMEOUT_S }: IndependentTestSettings,
): Promise<() => Promise<GateEvidence[]>> {
  const limitMs = timeout_s * 1_000;
  const startValidation = performance.now();
  const onBase = exam ? await validateExamOnBase(subject, exam, limitMs) : [];
  onValidated?.(onBase);
  const validationMs = performance.now() - startValidation;
  return async () => {
    const entries: GateEvidence[] = [];
    if (only === 'base') return entries;
    const start = performance.now();
    if (exam) {
      const points = await runExamOnPatch(subject, exam, onBase, { limitMs, adjudicate });
      entries.push(
        buildExamEvidence(exam, points, mode, Math.round(performance.now() - start + validationMs)),
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
