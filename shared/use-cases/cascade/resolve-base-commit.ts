import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { CoordinationSettings } from '../../contract/coordination/settings.ts';
import type { FailureCode } from '../../contract/failure/failure-class.ts';
import type { CascadeStepResult } from '../../contract/messages/step-messages.ts';
import { type RepositoryRef, resolveRefToCommitId } from '../../contract/repository/base-ref.ts';
import type { ResolvedRole } from '../../contract/roles/resolved-role.ts';
import { parseRequestedToolchainImage } from '../../contract/submission/requested-image.ts';
import {
  DEFAULT_TOOLCHAIN_IMAGE,
  REPOSITORY_CONFIG_FILE,
} from '../../contract/submission/toolchain-image.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ResolvedWorkflow } from '../../contract/workflow/resolved-workflow.ts';
import { parseBaseAutonomyLevel } from '../../control/approvals/base-autonomy.ts';
import { AUTONOMY_OF_UNREADABLE_BASE } from '../../control/approvals/effective-autonomy.ts';
import { parseBaseCoordinationSettings } from '../../control/coordination/base-coordination.ts';
import { findPlanClarificationReasons } from '../../control/coordination/plan-coordination.ts';
import { ClarificationRequiredError } from '../../control/failures/thrown-errors.ts';
import { parseRoleFileOfBase, roleConfigPath } from '../../control/roles/base-role.ts';
import { resolveBuiltinRole } from '../../control/roles/defaults.ts';
import { determineCascadeStage } from '../../control/task-commands/cascade-stage.ts';
import { cancelTask } from '../../control/task-commands/operator-commands.ts';
import { failBaseResolution, recordResolvedBase } from '../../control/task-commands/resolve-base.ts';
import type { TaskCommand } from '../../control/task-commands/task-change.ts';
import { readWorkflowAtBaseCommit } from '../../control/workflow/base-workflow.ts';
import type { RepositoryFileReader } from '../../control/workflow/load-workflow.ts';
import {
  CredentialUnavailableError,
  type GitCredentialProvider,
  MinterFailedError,
} from '../../store/credential-provider.ts';
import {
  applyCascadeStepCommand,
  type CascadeContext,
  stageMismatchResult,
  taskNotFoundResult,
} from './cascade-steps.ts';

/** A repository did not say what its refs are. */
export class RepositoryUnavailableError extends Error {
  /** True where it may well answer in a moment: no connection, too many requests, a fault of the server. */
  readonly isTransient: boolean;

  constructor(message: string, transient: boolean) {
    super(message);
    this.name = 'RepositoryUnavailableError';
    this.isTransient = transient;
  }
}

/** A file of a commit is more than the platform reads: it is there, and nothing else may count in its place. */
export class FileTooLargeError extends Error {
  constructor(path: string, why: string) {
    super(`${path} of the base is too large to be read: ${why}`);
    this.name = 'FileTooLargeError';
  }
}

/**
 * Asks a repository for its refs, at least for those that `ref` may stand for.
 * @param authorization value of an Authorization header for a private repository, or null.
 * @throws RepositoryUnavailableError
 */
export type RemoteRefsReader = (
  repository: string,
  ref: string,
  authorization: string | null,
) => Promise<readonly RepositoryRef[]>;

/**
 * Reads files of a commit, by path; null for what is no file there.
 * @throws RepositoryUnavailableError also where the server gives no single files; FileTooLargeError where it gives one that is.
 */
export type RemoteFilesReader = (
  repository: string,
  commit: string,
  paths: readonly string[],
  authorization: string | null,
) => Promise<ReadonlyMap<string, string | null>>;

export interface ResolveBaseContext extends Pick<CascadeContext, 'tasks' | 'deadlines' | 'isRetry'> {
  readonly now: () => Date;
  readonly readRefs: RemoteRefsReader;
  readonly readFiles: RemoteFilesReader;
  /** Credentials for repositories. */
  readonly getCredential: GitCredentialProvider;
  /** Names of the toolchain images that a repository may ask for. Absent: the embedded default, which has none. */
  readonly images?: readonly string[] | undefined;
  /** Waits between two questions, in milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Milliseconds before a repository is asked again that could not be reached. */
const PAUSES = [500, 3_000];

/** Asks a repository, and again where it may answer in a moment. */
async function withRetries<Answer>(
  question: () => Promise<Answer>,
  { sleep }: Pick<ResolveBaseContext, 'sleep'>,
): Promise<Answer> {
  for (const milliseconds of PAUSES) {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof RepositoryUnavailableError) || !error.isTransient) throw error;
      await sleep(milliseconds);
    }
  }
  return question();
}

/** Returns the credential for the repository of a task, or null where none is needed. @throws RepositoryUnavailableError */
export async function getRepositoryAuthorization(
  { id, repository }: Pick<Task, 'id' | 'repository'>,
  { getCredential }: Pick<ResolveBaseContext, 'getCredential'>,
): Promise<string | null> {
  try {
    return await getCredential({ task_id: id, repository, access: 'read' });
  } catch (error) {
    // What is a fault of ours ends no task: the step is done again.
    if (error instanceof CredentialUnavailableError && !(error instanceof MinterFailedError))
      throw new RepositoryUnavailableError(error.message, error.isTransient);
    throw error;
  }
}

/** Asks the repository of a task for what a ref may stand for. @throws RepositoryUnavailableError */
export const listRemoteRefs = (
  task: Pick<Task, 'id' | 'repository'>,
  ref: string,
  context: Pick<ResolveBaseContext, 'readRefs' | 'sleep' | 'getCredential'>,
): Promise<readonly RepositoryRef[]> =>
  withRetries(
    async () => context.readRefs(task.repository, ref, await getRepositoryAuthorization(task, context)),
    context,
  );

interface BaseConfiguration {
  readonly role: ResolvedRole | null;
  readonly autonomy: AutonomyLevel | null;
  /** The toolchain image that it asks for; undefined: the usual one. */
  readonly image?: string | undefined;
  /** What the project says of its plans; undefined: nothing, or the task is none. */
  readonly coordination?: CoordinationSettings | undefined;
}

/**
 * What the base says of the role of a task, of autonomy and of its image, or why it says nothing that can be kept to. Where the server gives
 * no single files, the built-in role, the least autonomy and the usual image.
 * @throws RepositoryUnavailableError for a moment.
 */
async function readBaseConfiguration(
  task: Task,
  commit: string,
  context: ResolveBaseContext,
): Promise<BaseConfiguration | { readonly why: string; readonly failure?: FailureCode }> {
  const { repository, role, runner } = task;
  const path = roleConfigPath(role);
  // Who claims a task chooses its own model.
  const isManaged = runner === 'managed';
  const paths = [...(isManaged ? [path] : []), REPOSITORY_CONFIG_FILE];
  try {
    const files = await withRetries(
      async () =>
        context.readFiles(repository, commit, paths, await getRepositoryAuthorization(task, context)),
      context,
    );
    const text = files.get(REPOSITORY_CONFIG_FILE) ?? null;
    const named = parseBaseAutonomyLevel(text, REPOSITORY_CONFIG_FILE);
    if ('why' in named) return named;
    const plans = task.plan
      ? parseBaseCoordinationSettings(text, REPOSITORY_CONFIG_FILE)
      : { coordination: null };
    if ('why' in plans) return plans;
    const { coordination } = plans;
    const unclear =
      coordination && !task.plan?.coordination ? findPlanClarificationReasons(task, coordination) : [];
    if (unclear.length > 0)
      return { why: new ClarificationRequiredError(task.id, unclear).message, failure: 'agent_blocked' };
    const image = context.images ? parseRequestedToolchainImage(text) : DEFAULT_TOOLCHAIN_IMAGE;
    return {
      role: isManaged ? parseRoleFileOfBase(role, files.get(path) ?? null) : null,
      autonomy: named.level,
      ...(image !== DEFAULT_TOOLCHAIN_IMAGE && { image }),
      ...(coordination && { coordination }),
    };
  } catch (error) {
    if (error instanceof FileTooLargeError) return { why: error.message };
    if (!(error instanceof RepositoryUnavailableError) || error.isTransient) throw error;
    return {
      role: isManaged ? resolveBuiltinRole(role, error.message) : null,
      autonomy: AUTONOMY_OF_UNREADABLE_BASE,
    };
  }
}

/**
 * What the workflow of a task means, or why it cannot be run; undefined: the task names none. Where the server gives no single files, what
 * is built in counts, as for roles.
 * @throws RepositoryUnavailableError for a moment.
 */
async function readWorkflowOf(
  task: Task,
  commit: string,
  context: ResolveBaseContext,
): Promise<{ readonly workflow: ResolvedWorkflow } | { readonly why: string } | undefined> {
  if (task.workflow === undefined) return undefined;
  let unread: string | null = null;
  const read: RepositoryFileReader = async (paths) => {
    try {
      return await withRetries(
        async () =>
          context.readFiles(task.repository, commit, paths, await getRepositoryAuthorization(task, context)),
        context,
      );
    } catch (error) {
      if (!(error instanceof RepositoryUnavailableError) || error.isTransient) throw error;
      unread = error.message;
      return new Map();
    }
  };
  const found = await readWorkflowAtBaseCommit(task.workflow, task, read).catch((error: unknown) => {
    if (error instanceof FileTooLargeError) return { why: error.message };
    throw error;
  });
  return unread !== null && 'why' in found ? { why: `${found.why} (${unread})` } : found;
}

/** The image that the base asks for, where this deployment does not have it; null: it has. */
const unknownImage = (
  { image }: BaseConfiguration,
  { images = [] }: ResolveBaseContext,
): { readonly image: string; readonly images: readonly string[] } | null =>
  image === undefined || images.includes(image) ? null : { image, images };

/** The credential of one step is minted once, however often the repository is asked; one that could not be had is asked for again. */
function cachedCredential(authorize: GitCredentialProvider): GitCredentialProvider {
  let minted: { readonly credential: string | null } | undefined;
  return async (wanted) => {
    minted ??= { credential: await authorize(wanted) };
    return minted.credential;
  };
}

/** Milliseconds before a repository is asked again whose pull request is not yet where its event says. */
const HEAD_PAUSES = [1_000, 4_000, 10_000];

/** Returns the commit that the pull request of a task has now, where it is not the task's; null: it is. @throws RepositoryUnavailableError */
async function findOtherHead(
  task: Task,
  { head_commit, head_ref }: NonNullable<Task['pull_request']>,
  context: ResolveBaseContext,
): Promise<string | null> {
  const read = async (): Promise<string> =>
    resolveRefToCommitId(head_ref, await listRemoteRefs(task, head_ref, context)) ?? 'not there';
  let head = await read();
  for (const milliseconds of HEAD_PAUSES) {
    if (head === head_commit) break;
    await context.sleep(milliseconds);
    head = await read();
  }
  return head === head_commit ? null : head;
}

/** What is to be done with a task after its repository was asked. */
async function resolveCommand(task: Task, given: ResolveBaseContext): Promise<TaskCommand> {
  const context = { ...given, getCredential: cachedCredential(given.getCredential) };
  try {
    const moved = task.pull_request ? await findOtherHead(task, task.pull_request, context) : null;
    if (moved !== null)
      return (present) =>
        cancelTask(
          present,
          `${task.pull_request?.head_ref} is ${moved}, not ${task.pull_request?.head_commit}`,
          'assay',
          context.now(),
        );
    const commit =
      task.base_commit ??
      resolveRefToCommitId(task.base_ref, await listRemoteRefs(task, task.base_ref, context));
    if (commit === null)
      return (present) =>
        failBaseResolution(
          present,
          'base_ref_missing',
          `the repository has no "${task.base_ref}"`,
          context.now(),
        );
    const read = await readBaseConfiguration(task, commit, context);
    const workflow = await readWorkflowOf(task, commit, context);
    if ('why' in read)
      return (present) =>
        failBaseResolution(present, read.failure ?? 'config_invalid', read.why, context.now());
    const unknown = unknownImage(read, context);
    const why = unknown
      ? `${REPOSITORY_CONFIG_FILE} of the base names the image "${unknown.image}"; this deployment has ${unknown.images.join(', ')} (assay:images)`
      : workflow && 'why' in workflow
        ? workflow.why
        : null;
    return (present) =>
      why === null
        ? recordResolvedBase(
            present,
            { commit, ...read, ...(workflow && 'workflow' in workflow && workflow) },
            context.now(),
          )
        : failBaseResolution(present, 'config_invalid', why, context.now());
  } catch (error) {
    if (!(error instanceof RepositoryUnavailableError)) throw error;
    return (present) => failBaseResolution(present, 'repository_unavailable', error.message, context.now());
  }
}

/**
 * Resolves the base ref of a task and reads what that commit says of its role, once, before anybody is given the task; ends the task
 * where there is nothing to start from.
 */
export async function runResolveBaseCommitStep(
  id: string,
  run: number,
  context: ResolveBaseContext,
): Promise<CascadeStepResult> {
  const present = await context.tasks.get(id);
  if (!present) return taskNotFoundResult();
  if (determineCascadeStage(present, run) !== 'resolve_base')
    return stageMismatchResult(present, run, 'resolve_base', context);
  return applyCascadeStepCommand(
    present,
    run,
    'resolve_base',
    await resolveCommand(present, context),
    context,
  );
}
