import type { ChallengeOutcome, ExamMode } from '../../../shared/contract/evidence/independent.ts';
import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { Exam } from '../../../shared/contract/exam.ts';
import { buildMissingChallengeEvidence } from '../../../shared/reviews/engine/missing-challenge.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import type { SandboxFactory } from '../../core/sandbox-factory.ts';
import {
  type ChallengedPatch,
  type ChallengeFolders,
  prepareChallengeFolders,
  readChallengeAnswer,
  renderChallengePrompt,
  writeRunProgram,
} from './challenge-folders.ts';
import { startChallengeRunner } from './challenge-runner.ts';
import { buildChallengeEvidence } from './exam-evidence.ts';
import { DEFAULT_ACCEPTANCE_TEST_TIMEOUT_S } from './independent-tests.ts';
import { type ExamAdjudicator, type ExamPatch, runCounterexamples } from './run-exam.ts';

/**
 * How the program of a challenger ended. `outcome` is null where it ended by itself without an error; otherwise only counterexamples
 * that hold count of its answer.
 */
export type ChallengerEnd = {
  readonly outcome: Extract<ChallengeOutcome, 'timed_out' | 'budget_spent' | 'no_answer'> | null;
  readonly why: string;
  /** False: something of it may still run, so its answer cannot be relied upon. */
  readonly isContained: boolean;
};

export interface ChallengeOptions {
  readonly subject: ExamPatch & { readonly store: GitStore; readonly sandboxes: SandboxFactory };
  /** Tree of the patch as it was handed in. */
  readonly patched: string;
  readonly patch: ChallengedPatch;
  /** A folder that does not exist yet; the caller removes it. */
  readonly folder: string;
  readonly mode: ExamMode;
  readonly adjudicate: ExamAdjudicator | null;
  /** Seconds of one run of a counterexample; absent: the default. */
  readonly timeout_s?: number | undefined;
  /** Runs the agent CLI in the folders to its end. */
  readonly runAgent: (
    folders: ChallengeFolders,
    texts: ReturnType<typeof renderChallengePrompt>,
  ) => Promise<ChallengerEnd>;
  /** Gets counterexamples that hold, as exams for later attempts. */
  readonly onHeld?: (exams: readonly Exam[]) => Promise<void>;
}

/**
 * Lets a challenger try to prove a patch wrong, re-runs what it hands in on both trees, and builds the evidence. Nothing that the
 * challenger says passes a patch.
 */
export async function challengePatch({
  subject,
  patched,
  patch,
  folder,
  mode,
  adjudicate,
  timeout_s = DEFAULT_ACCEPTANCE_TEST_TIMEOUT_S,
  runAgent,
  onHeld,
}: ChallengeOptions): Promise<GateEvidence> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  const { base, store, sandboxes } = subject;
  const folders = await prepareChallengeFolders(store, { base, tree: patched }, folder);
  const runner = await startChallengeRunner(sandboxes, { base, patched: subject.tree });
  let ended: ChallengerEnd;
  try {
    await writeRunProgram(folders.runProgram, runner.url);
    ended = await runAgent(folders, renderChallengePrompt(patch, folders));
  } finally {
    await runner.close();
  }
  const missing = (outcome: ChallengeOutcome, why: string): GateEvidence => ({
    ...buildMissingChallengeEvidence(outcome, why, mode),
    duration_ms: elapsed(),
  });
  if (!ended.isContained) return missing('no_answer', ended.why);
  const answer = await readChallengeAnswer(folders.answer);
  if ('problem' in answer)
    return missing(
      answer.problem === 'no_answer' ? (ended.outcome ?? 'no_answer') : answer.problem,
      answer.problem === 'no_answer' && ended.outcome !== null ? ended.why : answer.why,
    );
  const { challenge } = answer;
  const results = await runCounterexamples(subject, challenge.counterexamples, {
    limitMs: timeout_s * 1_000,
    adjudicate,
    ...(onHeld && { onHeld }),
  });
  const entry = buildChallengeEvidence(challenge, results, mode, elapsed());
  // A draft of a challenger that did not finish can show a fault, and never that it found none.
  return ended.outcome !== null && entry.outcome === 'skipped' ? missing(ended.outcome, ended.why) : entry;
}
