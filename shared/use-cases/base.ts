import { stageOf } from '../cascade/stage.ts';
import type { CascadeResult } from '../messages/queue.ts';
import { roleConfigPath, roleFromBase } from '../roles/from-base.ts';
import { withoutRepository } from '../roles/in-force.ts';
import { type Authorize, NotMinted } from '../store/minter.ts';
import { commitOf, type Ref } from '../task/base-ref.ts';
import type { Command } from '../task/commands/change.ts';
import { failWithoutBase, resolveBase } from '../task/commands/resolve.ts';
import type { Task } from '../task/task.ts';
import { type CascadeContext, gone, result, step } from './cascade.ts';

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
 * @throws RepositoryUnavailable also where the server gives no single files.
 */
export type RemoteFiles = (
  repository: string,
  commit: string,
  paths: readonly string[],
  authorization: string | null,
) => Promise<ReadonlyMap<string, string | null>>;

export interface BaseContext extends Pick<CascadeContext, 'tasks'> {
  readonly now: () => Date;
  readonly remote: RemoteRefs;
  readonly files: RemoteFiles;
  /** Credentials for repositories. */
  readonly authorize: Authorize;
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
    if (error instanceof NotMinted) throw new RepositoryUnavailable(error.message, error.transient);
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

/** The role of a task as its base has it; the built-in one where the server gives no single files. @throws RepositoryUnavailable for a moment. */
async function readRole(task: Task, commit: string, context: BaseContext) {
  const { repository, role, runner } = task;
  // Who claims a task chooses its own model.
  if (runner === 'external') return null;
  const path = roleConfigPath(role);
  try {
    const files = await patiently(
      async () => context.files(repository, commit, [path], await authorization(task, context)),
      context,
    );
    return roleFromBase(role, files.get(path) ?? null);
  } catch (error) {
    if (!(error instanceof RepositoryUnavailable) || error.transient) throw error;
    return withoutRepository(role, error.message);
  }
}

/** What is to be done with a task after its repository was asked. */
async function answer(task: Task, context: BaseContext): Promise<Command> {
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
    const role = await readRole(task, commit, context);
    return (present) => resolveBase(present, { commit, role }, context.now());
  } catch (error) {
    if (!(error instanceof RepositoryUnavailable)) throw error;
    return (present) => failWithoutBase(present, 'repository_unavailable', error.message, context.now());
  }
}

/**
 * Resolves the base ref of a task and reads what that commit says of its role, once, before anybody is given the task; ends the task
 * where there is nothing to start from. The entry of every execution: says where the task stands when its base is known.
 */
export async function resolveBaseStep(id: string, run: number, context: BaseContext): Promise<CascadeResult> {
  const present = await context.tasks.get(id);
  if (!present) return gone();
  if (stageOf(present, run) !== 'resolve_base') return result(present, stageOf(present, run));
  return step(present, run, 'resolve_base', await answer(present, context), context);
}
