import type { CascadeResult, RepositoryStep } from '../../contract/messages/queue.ts';
import { type BaseContext, resolveBaseStep } from '../cascade/base.ts';
import { findBranchStep } from './find-branch.ts';

const STEPS = { resolve_base: resolveBaseStep, find_branch: findBranchStep } as const;

/** Does a step of the cascade that asks the repository of a task. */
export const repositoryStep = (
  { step, task_id, run, again = false }: RepositoryStep,
  context: BaseContext,
): Promise<CascadeResult> => STEPS[step](task_id, run, { ...context, again });
