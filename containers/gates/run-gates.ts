import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../gates/core/configuration-file.ts';
import type { CapturedScreenshot } from '../../gates/core/gate.ts';
import type { Judge } from '../../gates/core/judge.ts';
import type { PersistentCache } from '../../gates/core/persistent-cache.ts';
import { gatherEvidence } from '../../gates/pipeline/gather-evidence.ts';
import type { GateTestResults } from '../../gates/pipeline/output/write-junit.ts';
import { collectReviewContext } from '../../gates/pipeline/review-context.ts';
import { readPatchDiffExcerpt } from '../../gates/rules/llm/patch-diff.ts';
import {
  createAdjudicator,
  type ExaminerContext,
  obtainIndependentTests,
  obtainSubmittedTests,
} from '../../gates/tests/exam/ask-examiner.ts';
import { type ContainerApiClient, createContainerApiClient } from '../../shared/api/container-client.ts';
import type { FailureCode } from '../../shared/contract/failure/failure-class.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { listFileChanges, listTouchedPaths } from '../../workspace/git/file-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { toDisplayPath } from '../../workspace/git/path-encoding.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { rebuildSubmittedTree } from '../../workspace/supervisor/rebuild-tree.ts';
import { checkToolchainImage } from './check-toolchain.ts';
import { fetchUpstreamBranch } from './fetch-upstream.ts';
import { createGatewayJudge } from './gateway-judge.ts';
import { loadHiddenTests, loadSubmittedExam } from './hidden-tests.ts';
import { readImageDigest } from './image-digest.ts';
import { createS3Cache } from './s3-cache.ts';
import { truncateEvidenceToLimit } from './truncate-evidence.ts';
import { uploadFindings, uploadScreenshots, uploadTestResults } from './upload-artifacts.ts';

/** Most characters of the diff that the adjudicator is shown. */
const MAX_DIFF_CHARS = 20_000;

/** Gathers evidence on the tree that was handed in, and reports it, or why there is none. */
export async function runGates(assignment: GatesAssignment, box: ContainerWorkContext): Promise<void> {
  const client = createContainerApiClient(assignment);
  try {
    const store = await rebuildSubmittedTree(assignment, box);
    // On the embedded default there are no images: what is on the machine is what there is.
    if (!box.embedded) await checkToolchainImage(store, assignment);
    if (assignment.plan) {
      const { gatherPlanEvidence } = await import('./plan-evidence.ts');
      const { base_commit: base, tree } = assignment;
      const changed = listTouchedPaths(await listFileChanges(store, base, tree)).map(toDisplayPath);
      await client.post('evidence', { evidence: await gatherPlanEvidence(store, assignment, box, changed) });
      return;
    }
    const rooms = join(box.workDir, 'rooms');
    await mkdir(rooms, { mode: 0o711 });
    const memory = createS3Cache(client);
    const suites: GateTestResults[] = [];
    const shots: CapturedScreenshot[] = [];
    const judge = await createGatewayJudge(assignment);
    const submitted = await loadSubmittedExam(assignment);
    const evidence = await gatherEvidence({
      store,
      base: assignment.base_commit,
      tree: assignment.tree,
      signals: assignment.signals,
      authorSignals: assignment.author_signals ?? [],
      files: assignment.files,
      expectedChanges: assignment.expected_changes,
      role: assignment.role,
      task: {
        id: assignment.task_id,
        title: assignment.title,
        description: assignment.description,
        writer: assignment.model,
      },
      judge,
      ...(submitted && {
        independentTests: await obtainSubmittedTests(
          submitted,
          taskContextOf(assignment, memory),
          judge && createAdjudicator(examinerContextOf(assignment, store, judge, memory)),
        ),
      }),
      ...(judge && {
        requestIndependentTests: () =>
          obtainIndependentTests(examinerContextOf(assignment, store, judge, memory)),
      }),
      ...(assignment.exam_mode && { examMode: assignment.exam_mode }),
      hiddenTests: await loadHiddenTests(assignment, box),
      workDir: rooms,
      sandboxUsers: box.users,
      abort: box.abort,
      upstream: () => fetchUpstreamBranch(store, assignment, box),
      persistentCache: memory,
      identifyImage: readImageDigest,
      networkByDefault: box.embedded,
      repository: assignment.repository,
      onTests: (gate, tests) => suites.push({ gate, tests }),
      onScreenshots: (_gate, taken) => shots.push(...taken),
    });
    const review_context = await collectReviewContext(store, assignment.base_commit, assignment.tree);
    // Commands that were stopped say nothing of the patch.
    if (box.abort.aborted) return await reportInterruption(client);
    const [shown] = await Promise.all([
      uploadScreenshots(client, { ...evidence, review_context }, shots),
      uploadFindings(client, evidence),
      uploadTestResults(client, suites),
    ]);
    await client.post('evidence', { evidence: truncateEvidenceToLimit(shown) });
  } catch (error) {
    if (box.abort.aborted) await reportInterruption(client);
    else await reportFailure(client, error);
  }
}

/** Returns the task as an examiner sees it, with the memory that keeps what was written for it. */
const taskContextOf = (
  { base_commit: base, title, description, acceptance_criteria, files, model }: GatesAssignment,
  memory: PersistentCache,
): Pick<ExaminerContext, 'base' | 'task' | 'memory'> => ({
  base,
  memory,
  task: { title, description, acceptanceCriteria: acceptance_criteria, files, writer: model },
});

/** What an examiner is told of the task, and how the adjudicator reads the patch. */
const examinerContextOf = (
  assignment: GatesAssignment,
  store: GitStore,
  judge: Judge,
  memory: PersistentCache,
): ExaminerContext => ({
  ...taskContextOf(assignment, memory),
  store,
  judge,
  readDiff: async () => {
    const { base_commit: base, tree: patched } = assignment;
    return (await readPatchDiffExcerpt({ store, base, patched }, MAX_DIFF_CHARS)).text;
  },
});

/** The container is being taken away: nobody is to blame, and another gathers the evidence. */
async function reportInterruption(client: ContainerApiClient): Promise<void> {
  const message = 'the container was told to end';
  await client.post('evidence', { failure_code: 'interrupted', message }, { retryForMs: 30_000 });
}

async function reportFailure(client: ContainerApiClient, error: unknown): Promise<void> {
  const failureClass = classOf(error);
  if (!failureClass || !(error instanceof Error)) throw error;
  await client.post('evidence', { failure_code: failureClass, message: error.message.slice(0, 4_000) });
}

/** Null for what is not about the task: then the box ends with an error and counts as lost. */
const classOf = (error: unknown): FailureCode | null => {
  if (error instanceof ConfigError) return 'config_invalid';
  if (error instanceof CheckoutError && error.failureClass !== 'unknown') return error.failureClass;
  return null;
};
