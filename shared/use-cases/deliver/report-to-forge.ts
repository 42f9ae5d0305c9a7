import { Evidence } from '../../contract/evidence/schema.ts';
import { findMostSpecificScope } from '../../contract/repository/repository-url.ts';
import { currentAttempt, findJudgedAttempt, type Task } from '../../contract/task/task.ts';
import { type CommentTarget, type ForgeClient, ForgeError } from '../../control/forge/forge.ts';
import { buildForgeTaskReport } from '../../control/forge/forge-report.ts';
import type {
  ForgeCredential,
  ForgeCredentialsSecret,
  ForgeSetting,
} from '../../control/forge/forge-settings.ts';
import { buildPullRequestReport, type PullRequestTask } from '../../control/forge/pull-request-report.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';

export interface ForgeReportContext {
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly objects: Pick<ObjectStore, 'getByDigest'>;
  readonly settings: readonly ForgeSetting[];
  readonly secret: () => Promise<ForgeCredentialsSecret>;
  /** Speaks with the forge about one repository. @throws ForgeError when there is no token */
  readonly connect: (
    setting: ForgeSetting,
    credential: ForgeCredential,
    repository: string,
  ) => Promise<ForgeClient>;
  readonly onError: (message: string) => void;
}

/** The evidence of the work that was delivered; null where it cannot be read: then nothing is said in the code. */
async function evidenceOf(task: Task, { objects, onError }: ForgeReportContext): Promise<Evidence | null> {
  const attempt = currentAttempt(task);
  const found = attempt && findJudgedAttempt(task, attempt).verification;
  const judged = task.pull_request
    ? attempt?.artifact?.tree
    : task.delivery?.state === 'delivered'
      ? task.delivery.tree
      : null;
  if (!found || judged !== found.tree) return null;
  try {
    return Evidence.parse(JSON.parse(await objects.getByDigest(found.key)));
  } catch (error) {
    onError(`its evidence cannot be read, and nothing is said in the code: ${String(error)}`);
    return null;
  }
}

/**
 * Makes the forge say of a task what is so now. Nothing is taken from the event that led here but the task's id: whatever comes
 * twice, late or out of order comes to the same. What may work later is thrown, so that it is tried again; what will not is told, and does not
 * keep the rest from being done.
 */
export async function reportToForge(taskId: string, context: ForgeReportContext): Promise<void> {
  if (context.settings.length === 0) return;
  const task = await context.tasks.get(taskId);
  const setting = task && findMostSpecificScope(context.settings, task.repository);
  if (!task || !setting) return;
  const credential = findMostSpecificScope((await context.secret()).credentials, task.repository);
  if (!credential) return context.onError(`the secret has no credential for ${task.repository}`);
  const forge = await context.connect(setting, credential, task.repository);
  const evidence = await evidenceOf(task, context);
  let later: ForgeError | null = null;
  const attempt = async <T>(step: () => Promise<T>): Promise<T | null> => {
    // Who goes on asking while limited is limited for longer.
    if (later !== null && later.retryAfterSeconds !== null) return null;
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (error.transient) later = error;
      else context.onError(error.message);
      return null;
    }
  };
  if (isPullRequestTask(task)) await reportPullRequest(task, evidence, setting, forge, attempt);
  else await reportTask(task, evidence, forge, attempt);
  if (later !== null) throw later;
}

/** Runs one step of a report; null where the forge did not carry it out. */
type ReportStepRunner = <T>(step: () => Promise<T>) => Promise<T | null>;

async function reportTask(
  task: Task,
  evidence: Evidence | null,
  forge: ForgeClient,
  attempt: ReportStepRunner,
): Promise<void> {
  const { change, check, comment, labels, issue, revised } = buildForgeTaskReport(task, evidence);
  if (revised !== null) {
    await attempt(() =>
      forge.upsertComment({ kind: 'change', number: revised }, comment.marker, comment.body),
    );
    return;
  }
  const number = change && (await attempt(() => forge.openChangeRequest(change)));
  if (check) await attempt(() => forge.publishCheckRun(check));
  const places: CommentTarget[] = [
    ...(issue === null ? [] : [{ kind: 'issue' as const, number: issue }]),
    ...(number == null ? [] : [{ kind: 'change' as const, number }]),
  ];
  for (const place of places) {
    await attempt(() => forge.upsertComment(place, comment.marker, comment.body));
    await attempt(() => forge.updateLabels(place, labels.on, labels.off));
  }
}

const isPullRequestTask = (task: Task): task is PullRequestTask => task.pull_request !== undefined;

/** The check is about one commit; comment and labels are about the pull request, and only its present head has the word there. */
async function reportPullRequest(
  task: PullRequestTask,
  evidence: Evidence | null,
  { pull_requests: { unverified } }: ForgeSetting,
  forge: ForgeClient,
  attempt: ReportStepRunner,
): Promise<void> {
  const report = buildPullRequestReport(task, evidence, unverified);
  if (report === null) return;
  const { check, comment, labels } = report;
  await attempt(() => forge.publishCheckRun(check));
  if (comment === null) return;
  const { number, head_commit } = task.pull_request;
  const present = await attempt(() => forge.readChangeRequest(number));
  if (present?.head_commit !== head_commit) return;
  const place: CommentTarget = { kind: 'change', number };
  await attempt(() => forge.upsertComment(place, comment.marker, comment.body));
  await attempt(() => forge.updateLabels(place, labels.on, labels.off));
}
