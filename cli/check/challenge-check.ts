import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Judge, PatchTask } from '../../gates/core/judge.ts';
import { challengeTree } from '../../gates/pipeline/challenge-tree.ts';
import type { ChallengerEnd } from '../../gates/tests/exam/challenge-patch.ts';
import { describeChallengerEnd } from '../../gates/tests/exam/challenger-end.ts';
import { CHALLENGE_DEFAULTS } from '../../shared/contract/check-outcome.ts';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import type { ExamMode } from '../../shared/contract/exam.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { runProcess } from '../../workspace/process/run-process.ts';

export interface CheckChallenge {
  /** Command line of an agent CLI. */
  readonly command: string;
  readonly evidence: Evidence;
  readonly store: GitStore;
  readonly workDir: string;
  readonly task: PatchTask;
  readonly files: readonly string[];
  readonly expected_changes: readonly ExpectedChangeKind[];
  readonly configOverride: { readonly file: string; readonly text: string } | null;
  readonly mode: ExamMode;
  readonly judge: Judge | null;
  readonly environmentFolder: string | null;
  readonly abort: AbortSignal;
}

/** Lets a local agent CLI challenge a working tree, with the environment of the caller, and adds its entry to the evidence. */
export async function challengeWorkingTree(options: CheckChallenge): Promise<Evidence> {
  const { evidence, task, command, mode } = options;
  const entry = await challengeTree({
    ...options,
    base: evidence.base_commit,
    tree: evidence.tree,
    users: null,
    task: {
      title: task.title,
      description: task.description,
      acceptanceCriteria: [],
      files: options.files,
    },
    checks: evidence.gates.map(({ name, outcome, detail }) => ({ name, outcome, detail })),
    requirements: evidence.gates.flatMap(
      ({ independent }) =>
        independent?.points.map(({ requirement, result: { outcome } }) => ({ requirement, outcome })) ?? [],
    ),
    networkByDefault: true,
    runAgent: async (folders, { prompt }): Promise<ChallengerEnd> => {
      const promptFile = join(folders.root, 'prompt.md');
      await writeFile(promptFile, prompt);
      const result = await runProcess(
        { line: command, input: prompt },
        {
          cwd: folders.answer,
          // The caller's own CLI, with the caller's own account.
          env: {
            ...(process.env as Record<string, string>),
            ASSAY_PROMPT_FILE: promptFile,
            ASSAY_BASE_FOLDER: folders.base,
            ASSAY_PATCHED_FOLDER: folders.patched,
            ASSAY_ANSWER_FOLDER: folders.answer,
            ASSAY_RUN_PROGRAM: folders.runProgram,
          },
          timeoutMs: (evidence.challenge?.timeout_s ?? CHALLENGE_DEFAULTS.timeout_s) * 1_000,
          exclusiveFolder: folders.root,
          abort: options.abort,
        },
      );
      return describeChallengerEnd(result, null);
    },
  });
  return { ...evidence, gates: [{ ...entry, required: mode === 'gate' }, ...evidence.gates] };
}
