import { stageOf } from '../cascade/stage.ts';
import type { CascadeResult } from '../messages/queue.ts';
import { commitOf, type Ref } from '../task/base-ref.ts';
import { failWithoutBase, resolveBase } from '../task/commands/resolve.ts';
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

export interface BaseContext extends Pick<CascadeContext, 'tasks'> {
  readonly now: () => Date;
  readonly remote: RemoteRefs;
  /** Waits between two questions, in milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Milliseconds before a repository is asked again that could not be reached. */
const PAUSES = [500, 3_000];

/** Asks a repository, and again where it may answer in a moment. */
export async function ask(repository: string, ref: string, context: BaseContext): Promise<readonly Ref[]> {
  for (const milliseconds of PAUSES) {
    try {
      return await context.remote(repository, ref, null);
    } catch (error) {
      if (!(error instanceof RepositoryUnavailable) || !error.transient) throw error;
      await context.pause(milliseconds);
    }
  }
  return context.remote(repository, ref, null);
}

/**
 * Resolves the base ref of a task, once, before anybody is given the task; ends the task where there is nothing to start from. The
 * entry of every execution: says where the task stands when its base is known.
 */
export async function resolveBaseStep(id: string, run: number, context: BaseContext): Promise<CascadeResult> {
  const present = await context.tasks.get(id);
  if (!present) return gone();
  if (stageOf(present, run) !== 'resolve_base') return result(present, stageOf(present, run));
  const { repository, base_ref } = present;
  let commit: string | null = null;
  let unavailable: string | null = null;
  try {
    commit = commitOf(base_ref, await ask(repository, base_ref, context));
  } catch (error) {
    if (!(error instanceof RepositoryUnavailable)) throw error;
    unavailable = error.message;
  }
  return step(
    present,
    run,
    'resolve_base',
    (task) =>
      unavailable !== null
        ? failWithoutBase(task, 'repository_unavailable', unavailable, context.now())
        : commit === null
          ? failWithoutBase(task, 'base_ref_missing', `the repository has no "${base_ref}"`, context.now())
          : resolveBase(task, commit, context.now()),
    context,
  );
}
