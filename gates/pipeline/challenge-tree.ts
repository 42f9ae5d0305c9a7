import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateEvidence } from '../../shared/contract/evidence/schema.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import type { ProcessUser } from '../../workspace/process/process-user.ts';
import type { Judge } from '../core/judge.ts';
import { SandboxFactory } from '../core/sandbox-factory.ts';
import { readPatchDiffExcerpt } from '../rules/llm/patch-diff.ts';
import { createAdjudicator, type ExaminedTask } from '../tests/exam/ask-examiner.ts';
import type { ChallengedPatch } from '../tests/exam/challenge-folders.ts';
import { type ChallengeOptions, challengePatch } from '../tests/exam/challenge-patch.ts';
import { createPatchToCheck } from './create-patch-to-check.ts';
import { createProtectionPolicy } from './create-protection-policy.ts';
import { loadBaseConfig } from './load-base-config.ts';

/** Most characters of the diff that the adjudicator is shown. */
const MAX_DIFF_CHARS = 20_000;

export interface ChallengeTreeOptions extends Pick<ChallengeOptions, 'mode' | 'runAgent' | 'onHeld'> {
  /** Holds both trees. */
  readonly store: GitStore;
  readonly base: string;
  readonly tree: string;
  /** An existing folder; the caller removes it. */
  readonly workDir: string;
  /** Users that commands of the patch run as; null: as we do. */
  readonly users: readonly ProcessUser[] | null;
  readonly abort: AbortSignal;
  readonly task: Pick<ExaminedTask, 'title' | 'description' | 'acceptanceCriteria' | 'files'>;
  readonly expected_changes: readonly ExpectedChangeKind[];
  /** Configuration to use instead of the base commit's; absent or null: the base commit's. */
  readonly configOverride?: { readonly file: string; readonly text: string } | null;
  readonly checks: ChallengedPatch['checks'];
  readonly requirements: ChallengedPatch['requirements'];
  /** Has the adjudicator; null: every counterexample that holds counts. */
  readonly judge: Judge | null;
  readonly environmentFolder: string | null;
  readonly networkByDefault: boolean;
}

/** Challenges a patch in sandboxes with the environment of the gates. The same code for containers and `assay check`. */
export async function challengeTree(options: ChallengeTreeOptions): Promise<GateEvidence> {
  const { store, base, tree, workDir, task, expected_changes, abort } = options;
  const rooms = join(workDir, 'challenge-rooms');
  await mkdir(rooms, { mode: 0o711 });
  const sandboxes = new SandboxFactory({ store, base, tree, workDir: rooms, users: options.users, abort });
  const config = await loadBaseConfig(store, base, options.configOverride ?? null);
  const subject = await createPatchToCheck({
    store,
    base,
    tree,
    rooms: sandboxes,
    loadProtectionPolicy: async (project) =>
      createProtectionPolicy({
        taskFiles: task.files,
        expectedChanges: expected_changes,
        config,
        signals: [],
        project,
      }),
  });
  const { EnvironmentExtension } = await import('../environment/environment-extension.ts');
  sandboxes.extendSandboxes(
    new EnvironmentExtension({
      sandboxes,
      base,
      workDir: rooms,
      setting: config?.environment ?? null,
      changedPaths: subject.changedPaths,
      cacheFolder: options.environmentFolder,
      networkByDefault: options.networkByDefault,
    }),
  );
  const readDiff = async (): Promise<string> =>
    (await readPatchDiffExcerpt({ store, base, patched: tree }, MAX_DIFF_CHARS)).text;
  const challenge = challengePatch({
    subject,
    patched: tree,
    patch: { ...task, checks: options.checks, requirements: options.requirements },
    folder: join(workDir, 'challenger'),
    mode: options.mode,
    timeout_s: config?.acceptanceTests.timeout_s,
    adjudicate:
      options.judge && createAdjudicator({ judge: options.judge, task: { ...task, writer: null }, readDiff }),
    runAgent: options.runAgent,
    ...(options.onHeld && { onHeld: options.onHeld }),
  });
  return challenge.finally(() => sandboxes.release());
}
