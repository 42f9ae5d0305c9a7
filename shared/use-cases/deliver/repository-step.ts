import type { CascadeRepositoryStepInput, CascadeStepResult } from '../../contract/messages/step-messages.ts';
import { type ResolveBaseContext, runResolveBaseCommitStep } from '../cascade/resolve-base-commit.ts';
import { runFindPushedBranchStep } from './find-pushed-branch.ts';

const STEPS = { resolve_base: runResolveBaseCommitStep, find_branch: runFindPushedBranchStep } as const;

/** Does a step of the cascade that asks the repository of a task. */
export const runRepositoryStep = (
  { step, task_id, run, is_retry: again = false }: CascadeRepositoryStepInput,
  context: ResolveBaseContext,
): Promise<CascadeStepResult> => STEPS[step](task_id, run, { ...context, isRetry: again });
