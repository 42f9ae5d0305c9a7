import type * as z from 'zod';
import type { CompleteAttemptBody, FailAttemptBody } from '../../api/report-schemas.ts';
import { isTier, type TierModels } from '../../contract/agents/tiers.ts';
import type { LoggedTestRun } from '../../contract/evidence/logs/logged-test-run.ts';
import { usageCostUsd } from '../../contract/models/model-prices.ts';
import { Refusal } from '../../contract/refusal.ts';
import { s3ObjectKeys } from '../../contract/resource-names.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { requireSameBaseCommit } from '../../control/task-commands/base-commit.ts';
import { recordContainerInterrupted } from '../../control/task-commands/recover.ts';
import { type ReportedWork, recordAgentReport } from '../../control/task-commands/report-work.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';

export interface AgentReportContext {
  readonly tasks: TaskStore;
  readonly objects: ObjectStore;
  readonly models: TierModels;
  readonly now: Date;
}

const NO_BYTES = sha256('');

/** Runs in the log of an agent that are kept with the task, the latest, and names of each: claims take little room. */
const KEPT_RUNS = 2;
const KEPT_NAMES = 5;
const short = (run: LoggedTestRun): LoggedTestRun => ({
  ...run,
  failed_tests: run.failed_tests.slice(0, KEPT_NAMES),
});

/**
 * Digest and length of the patch. That nothing was changed is no claim of the agent's: only one content has no bytes, and the digest
 * says whether it is that.
 */
function patchFacts(body: z.infer<typeof CompleteAttemptBody>): { sha: string; bytes: number } {
  if (body.patch === undefined) {
    const { patch_sha256: sha = '', patch_bytes: bytes = 0 } = body;
    if ((bytes === 0) !== (sha === NO_BYTES)) {
      const message =
        bytes === 0
          ? 'is 0, but the digest is not that of no bytes'
          : 'is not 0, but the digest is that of no bytes';
      throw new Refusal('invalid', `/patch_bytes ${message}`, [{ pointer: '/patch_bytes', message }]);
    }
    return { sha, bytes };
  }
  const sha = sha256(body.patch);
  if (body.patch_sha256 !== undefined && body.patch_sha256 !== sha)
    throw new Refusal('invalid', `/patch_sha256 the patch has SHA-256 ${sha}`, [
      { pointer: '/patch_sha256', message: `the patch has SHA-256 ${sha}` },
    ]);
  return { sha, bytes: Buffer.byteLength(body.patch) };
}

/** A model named by the agent counts; a tier's name stands for its model. */
const modelOf = (task: Task, named: string | undefined, models: TierModels): string | null => {
  const model = named ?? currentAttempt(task)?.model ?? null;
  return model !== null && isTier(model) ? models[model] : model;
};

async function recordReport(
  of: string | Task,
  attempt: number,
  context: AgentReportContext,
  handed: (task: Task) => ReportedWork,
): Promise<Task> {
  return context.tasks.applyCommand(of, (task) =>
    recordAgentReport(task, attempt, handed(task), context.now),
  );
}

/** The agent hands in its work. The patch is stored before the one conditional write that makes it count; a repeat answers the same. */
export async function reportCompletedWork(
  id: string,
  attempt: number,
  body: z.infer<typeof CompleteAttemptBody>,
  context: AgentReportContext,
): Promise<Task> {
  const patch = patchFacts(body);
  const key = s3ObjectKeys.patch(id, attempt, patch.sha);
  const handed = (task: Task): ReportedWork => {
    const model = modelOf(task, body.model, context.models);
    return {
      report: {
        status: 'completed',
        summary: body.summary,
        failure_code: null,
        output_tail: body.output_tail,
        retry_after_s: null,
        ...(body.verification_gate && { verification_gate: body.verification_gate }),
        ...(body.unreported_calls !== undefined && { unreported_calls: body.unreported_calls }),
        ...(body.middleware && { middleware: body.middleware }),
        ...(body.exit && { exit: body.exit }),
        ...(body.logged_test_runs?.length && {
          logged_test_runs: body.logged_test_runs.slice(-KEPT_RUNS).map(short),
        }),
      },
      artifact: {
        base_commit: requireSameBaseCommit(task, body.base_commit),
        tree: body.tree,
        patch_key: key,
        patch_sha256: patch.sha,
        patch_bytes: patch.bytes,
        transcript_key:
          body.transcript_sha256 === undefined
            ? null
            : s3ObjectKeys.transcript(id, attempt, body.transcript_sha256),
      },
      usage: body.usage ?? null,
      model,
      costUsd: usageCostUsd(
        model,
        body.usage ?? null,
        currentAttempt(task)?.started_at ?? context.now.toISOString(),
      ),
    };
  };
  if (body.patch === undefined) return recordReport(id, attempt, context, handed);
  const task = await context.tasks.require(id);
  if (recordAgentReport(task, attempt, handed(task), context.now) === null) return task;
  await context.objects.putIfAbsent(key, body.patch, 'text/x-diff');
  return recordReport(task, attempt, context, handed);
}

/** The agent says that it could not do it. */
export async function reportFailedWork(
  id: string,
  attempt: number,
  body: z.infer<typeof FailAttemptBody>,
  context: AgentReportContext,
): Promise<Task> {
  const present = await context.tasks.require(id);
  if (body.failure_code === 'interrupted' && present.runner !== 'external')
    return context.tasks.applyCommand(present, (task) =>
      recordContainerInterrupted(task, attempt, 'agent', body.reason, context.now),
    );
  return recordReport(present, attempt, context, (task) => {
    requireSameBaseCommit(task, body.base_commit);
    const model = modelOf(task, undefined, context.models);
    return {
      report: {
        status: 'failed',
        summary: body.reason,
        failure_code: body.failure_code,
        output_tail: body.output_tail,
        retry_after_s: body.retry_after_s ?? null,
        ...(body.transcript_sha256 !== undefined && {
          transcript_key: s3ObjectKeys.transcript(id, attempt, body.transcript_sha256),
        }),
        ...(body.unreported_calls !== undefined && { unreported_calls: body.unreported_calls }),
        ...(body.middleware && { middleware: body.middleware }),
        ...(body.exit && { exit: body.exit }),
      },
      artifact: null,
      usage: body.usage ?? null,
      model,
      costUsd: usageCostUsd(
        model,
        body.usage ?? null,
        currentAttempt(task)?.started_at ?? context.now.toISOString(),
      ),
    };
  });
}
