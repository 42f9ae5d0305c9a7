import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { CoordinationSettings } from '../../contract/coordination/settings.ts';
import type { FailureClass } from '../../contract/failure/failure-class.ts';
import type { CascadeResult } from '../../contract/messages/queue.ts';
import { commitOf, type Ref } from '../../contract/repository/base-ref.ts';
import type { RoleInForce } from '../../contract/roles/in-force.ts';
import { CONFIG_FILE, DEFAULT_IMAGE } from '../../contract/submission/image.ts';
import { imageNamed } from '../../contract/submission/image-named.ts';
import type { Task } from '../../contract/task/task.ts';
import type { WorkflowInForce } from '../../contract/workflow/in-force.ts';
import { UNREADABLE_BASE } from '../../control/approvals/in-force.ts';
import { autonomyNamed } from '../../control/approvals/named.ts';
import { coordinationNamed } from '../../control/coordination/named.ts';
import { unclearTo } from '../../control/coordination/of-plan.ts';
import { ClarificationRequired } from '../../control/failures/thrown.ts';
import { withoutRepository } from '../../control/roles/defaults.ts';
import { roleConfigPath, roleFromBase } from '../../control/roles/from-base.ts';
import type { Command } from '../../control/task-commands/change.ts';
import { failWithoutBase, resolveBase } from '../../control/task-commands/resolve.ts';
import { stageOf } from '../../control/task-commands/stage.ts';
import { workflowFromBase } from '../../control/workflow/from-base.ts';
import type { ReadFiles } from '../../control/workflow/library.ts';
import { type Authorize, MinterFailed, NotMinted } from '../../store/minter.ts';
import { type CascadeContext, elsewhere, gone, step } from './cascade.ts';

/** A repository did not say what its refs are. */
export class RepositoryUnavailable extends Error {
  /** True where it may well answer in a moment: no connection, too many requests, a fault of the server. */
  readonly transient: boolean;

  constructor(message: string, transient: boolean) {
    super(message);
    this.name = 'RepositoryUnavailable';
    this.transient = transient;
  }
}

/** A file of a commit is more than the platform reads: it is there, and nothing else may count in its place. */
export class FileTooLarge extends Error {
  constructor(path: string, why: string) {
    super(`${path} of the base is too large to be read: ${why}`);
    this.name = 'FileTooLarge';
  }
}

/**
 * Asks a repository for its refs, at least for those that `ref` may stand for.
 * @param authorization value of an Authorization header for a private repository, or null.
 * @throws RepositoryUnavailable
 */
export type RemoteRefs = (
  repository: string,
  ref: string,
  authorization: string | null,
) => Promise<readonly Ref[]>;

/**
 * Reads files of a commit, by path; null for what is no file there.
 * @throws RepositoryUnavailable also where the server gives no single files; FileTooLarge where it gives one that is.
 */
export type RemoteFiles = (
  repository: string,
  commit: string,
  paths: readonly string[],
  authorization: string | null,
) => Promise<ReadonlyMap<string, string | null>>;

export interface BaseContext extends Pick<CascadeContext, 'tasks' | 'deadlines' | 'again'> {
  readonly now: () => Date;
  readonly remote: RemoteRefs;
  readonly files: RemoteFiles;
  /** Credentials for repositories. */
  readonly authorize: Authorize;
  /** Names of the toolchain images that a repository may ask for. Absent: the embedded default, which has none. */
  readonly images?: readonly string[] | undefined;
  /** Waits between two questions, in milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Milliseconds before a repository is asked again that could not be reached. */
const PAUSES = [500, 3_000];

/** Asks a repository, and again where it may answer in a moment. */
async function patiently<Answer>(
  question: () => Promise<Answer>,
  { pause }: Pick<BaseContext, 'pause'>,
): Promise<Answer> {
  for (const milliseconds of PAUSES) {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof RepositoryUnavailable) || !error.transient) throw error;
      await pause(milliseconds);
    }
  }
  return question();
}

/** What the repository of a task is asked with; null: nothing is needed. @throws RepositoryUnavailable */
export async function authorization(
  { id, repository }: Pick<Task, 'id' | 'repository'>,
  { authorize }: Pick<BaseContext, 'authorize'>,
): Promise<string | null> {
  try {
    return await authorize({ task_id: id, repository, access: 'read' });
  } catch (error) {
    // What is a fault of ours ends no task: the step is done again.
    if (error instanceof NotMinted && !(error instanceof MinterFailed))
      throw new RepositoryUnavailable(error.message, error.transient);
    throw error;
  }
}

/** Asks the repository of a task for what a ref may stand for. @throws RepositoryUnavailable */
export const ask = (
  task: Pick<Task, 'id' | 'repository'>,
  ref: string,
  context: Pick<BaseContext, 'remote' | 'pause' | 'authorize'>,
): Promise<readonly Ref[]> =>
  patiently(async () => context.remote(task.repository, ref, await authorization(task, context)), context);

interface ReadBase {
  readonly role: RoleInForce | null;
  readonly autonomy: AutonomyLevel | null;
  /** The toolchain image that it asks for; undefined: the usual one. */
  readonly image?: string | undefined;
  /** What the project says of its plans; undefined: nothing, or the task is none. */
  readonly coordination?: CoordinationSettings | undefined;
}

/**
 * What the base says of the role of a task, of autonomy and of its image, or why it says nothing that can be kept to. Where the server gives
 * no single files, the built-in role, the least autonomy and the usual image.
 * @throws RepositoryUnavailable for a moment.
 */
async function readBase(
  task: Task,
  commit: string,
  context: BaseContext,
): Promise<ReadBase | { readonly why: string; readonly failure?: FailureClass }> {
  const { repository, role, runner } = task;
  const path = roleConfigPath(role);
  // Who claims a task chooses its own model.
  const isManaged = runner === 'managed';
  const paths = [...(isManaged ? [path] : []), CONFIG_FILE];
  try {
    const files = await patiently(
      async () => context.files(repository, commit, paths, await authorization(task, context)),
      context,
    );
    const text = files.get(CONFIG_FILE) ?? null;
    const named = autonomyNamed(text, CONFIG_FILE);
    if ('why' in named) return named;
    const plans = task.plan ? coordinationNamed(text, CONFIG_FILE) : { coordination: null };
    if ('why' in plans) return plans;
    const { coordination } = plans;
    const unclear = coordination && !task.plan?.coordination ? unclearTo(task, coordination) : [];
    if (unclear.length > 0)
      return { why: new ClarificationRequired(task.id, unclear).message, failure: 'agent_blocked' };
    const image = context.images ? imageNamed(text) : DEFAULT_IMAGE;
    return {
      role: isManaged ? roleFromBase(role, files.get(path) ?? null) : null,
      autonomy: named.level,
      ...(image !== DEFAULT_IMAGE && { image }),
      ...(coordination && { coordination }),
    };
  } catch (error) {
    if (error instanceof FileTooLarge) return { why: error.message };
    if (!(error instanceof RepositoryUnavailable) || error.transient) throw error;
    return { role: isManaged ? withoutRepository(role, error.message) : null, autonomy: UNREADABLE_BASE };
  }
}

/**
 * What the workflow of a task means, or why it cannot be run; undefined: the task names none. Where the server gives no single files, what
 * is built in counts, as for roles.
 * @throws RepositoryUnavailable for a moment.
 */
async function readWorkflowOf(
  task: Task,
  commit: string,
  context: BaseContext,
): Promise<{ readonly workflow: WorkflowInForce } | { readonly why: string } | undefined> {
  if (task.workflow === undefined) return undefined;
  let unread: string | null = null;
  const read: ReadFiles = async (paths) => {
    try {
      return await patiently(
        async () => context.files(task.repository, commit, paths, await authorization(task, context)),
        context,
      );
    } catch (error) {
      if (!(error instanceof RepositoryUnavailable) || error.transient) throw error;
      unread = error.message;
      return new Map();
    }
  };
  const found = await workflowFromBase(task.workflow, task, read).catch((error: unknown) => {
    if (error instanceof FileTooLarge) return { why: error.message };
    throw error;
  });
  return unread !== null && 'why' in found ? { why: `${found.why} (${unread})` } : found;
}

/** Why the image that the base asks for cannot be had; null when it can. */
function unknownImage({ image }: ReadBase, { images = [] }: BaseContext): string | null {
  if (image === undefined || images.includes(image)) return null;
  return `${CONFIG_FILE} of the base names the image "${image}"; this deployment has ${images.join(', ')} (assay:images)`;
}

/** The credential of one step is minted once, however often the repository is asked; one that could not be had is asked for again. */
function once(authorize: Authorize): Authorize {
  let minted: { readonly credential: string | null } | undefined;
  return async (wanted) => {
    minted ??= { credential: await authorize(wanted) };
    return minted.credential;
  };
}

/** What is to be done with a task after its repository was asked. */
async function answer(task: Task, given: BaseContext): Promise<Command> {
  const context = { ...given, authorize: once(given.authorize) };
  try {
    const commit = task.base_commit ?? commitOf(task.base_ref, await ask(task, task.base_ref, context));
    if (commit === null)
      return (present) =>
        failWithoutBase(
          present,
          'base_ref_missing',
          `the repository has no "${task.base_ref}"`,
          context.now(),
        );
    const read = await readBase(task, commit, context);
    const workflow = await readWorkflowOf(task, commit, context);
    if ('why' in read)
      return (present) => failWithoutBase(present, read.failure ?? 'config_invalid', read.why, context.now());
    const why = unknownImage(read, context) ?? (workflow && 'why' in workflow ? workflow.why : null);
    return (present) =>
      why === null
        ? resolveBase(
            present,
            { commit, ...read, ...(workflow && 'workflow' in workflow && workflow) },
            context.now(),
          )
        : failWithoutBase(present, 'config_invalid', why, context.now());
  } catch (error) {
    if (!(error instanceof RepositoryUnavailable)) throw error;
    return (present) => failWithoutBase(present, 'repository_unavailable', error.message, context.now());
  }
}

/**
 * Resolves the base ref of a task and reads what that commit says of its role, once, before anybody is given the task; ends the task
 * where there is nothing to start from.
 */
export async function resolveBaseStep(id: string, run: number, context: BaseContext): Promise<CascadeResult> {
  const present = await context.tasks.get(id);
  if (!present) return gone();
  if (stageOf(present, run) !== 'resolve_base') return elsewhere(present, run, 'resolve_base', context);
  return step(present, run, 'resolve_base', await answer(present, context), context);
}
