import type { CascadeStepResult } from '../../contract/messages/step-messages.ts';
import { computeCommitId } from '../../contract/repository/git-commit.ts';
import { buildDeliveryCommitFields } from '../../contract/task/delivery-commit.ts';
import { currentAttempt, type Task, type TaskDelivery } from '../../contract/task/task.ts';
import { determineCascadeStage } from '../../control/task-commands/cascade-stage.ts';
import { recordDeliveryRefusal, recordPushedDelivery } from '../../control/task-commands/deliver.ts';
import { truncateText } from '../../lib/truncate.ts';
import {
  applyCascadeStepCommand,
  stageMismatchResult,
  taskNotFoundResult,
} from '../cascade/cascade-steps.ts';
import { deferCascadeStepRetry } from '../cascade/deferred-retry.ts';
import {
  listRemoteRefs,
  RepositoryUnavailableError,
  type ResolveBaseContext,
} from '../cascade/resolve-base-commit.ts';

/** Seconds for which a repository that does not answer is asked again, and between two rounds of that. */
const PATIENCE_SECONDS = 3_600;
const ROUND_SECONDS = 60;

/** The id that the branch has where the push of this work got through. */
function expectedCommit(task: Task, { base_commit, tree }: TaskDelivery): string {
  const attempt = currentAttempt(task);
  if (!attempt) throw new Error(`task ${task.id} is being delivered without an attempt`);
  return computeCommitId({ tree, parent: base_commit, ...buildDeliveryCommitFields(task, attempt) });
}

/**
 * All deliveries were lost after leave to push was given: the repository is asked what became of it. What it says is the outcome;
 * only where it cannot be asked does that stay unknown, and the task says so.
 */
export async function runFindPushedBranchStep(
  id: string,
  run: number,
  context: Omit<ResolveBaseContext, 'readFiles'>,
): Promise<CascadeStepResult> {
  const present = await context.tasks.get(id);
  if (!present) return taskNotFoundResult();
  if (determineCascadeStage(present, run) !== 'find_branch')
    return stageMismatchResult(present, run, 'find_branch', context);
  const { delivery } = present;
  const branch = delivery?.branch ?? null;
  if (delivery === null || branch === null)
    throw new Error(`task ${id} is asked about without leave to push`);
  const commit = expectedCommit(present, delivery);
  const lost = `${currentAttempt(present)?.deliver?.number ?? 0} deliveries were lost without a report`;
  let why: string | null;
  try {
    const ref = `refs/heads/${branch}`;
    const there = (await listRemoteRefs(present, ref, context)).find(({ name }) => name === ref)?.id ?? null;
    why =
      there === commit
        ? null
        : there === null
          ? `${lost}; branch ${branch} is not there`
          : `${lost}; branch ${branch} is at ${there}, which is other work`;
  } catch (error) {
    if (!(error instanceof RepositoryUnavailableError)) throw error;
    const since = (context.now().getTime() - Date.parse(present.updated_at)) / 1_000;
    if (error.isTransient && since < PATIENCE_SECONDS)
      return deferCascadeStepRetry(
        present,
        { seconds: ROUND_SECONDS, mayWait: false },
        context.now(),
        context,
      );
    why = `${lost}; it is not known whether branch ${branch} was pushed, because the repository cannot be asked (${error.message}): look at it`;
  }
  const reason = why;
  const number = currentAttempt(present)?.number ?? 0;
  return applyCascadeStepCommand(
    present,
    run,
    'find_branch',
    (task) =>
      reason === null
        ? recordPushedDelivery(task, number, delivery, commit, context.now())
        : recordDeliveryRefusal(task, number, delivery, truncateText(reason, 4_000), context.now()),
    context,
  );
}
