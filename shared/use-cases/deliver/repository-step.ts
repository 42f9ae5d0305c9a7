import type { CascadeStepResult, RepositoryStepInput } from '../../contract/messages/step-messages.ts';
import { type ResolveBaseContext, resolveBaseStep } from '../cascade/resolve-base-commit.ts';
import { findBranchStep } from './find-pushed-branch.ts';

const STEPS = { resolve_base: resolveBaseStep, find_branch: findBranchStep } as const;

/** Does a step of the cascade that asks the repository of a task. */
export const runRepositoryStep = (
  { step, task_id, run, again = false }: RepositoryStepInput,
  context: ResolveBaseContext,
): Promise<CascadeStepResult> => STEPS[step](task_id, run, { ...context, isRetry: again });
