import type { Task } from '../../contract/task/task.ts';
import { PlanReviewRequiredError } from '../failures/thrown-errors.ts';
import type { PlanCoordinationContext } from './context.ts';
import { runCoordinationHook } from './context.ts';
import { buildCoordinationChain, toPlanCoordinationContext } from './plan-coordination.ts';

/** A plan that holds, before its tasks are made. `gated`: why a person is asked first; null: nobody is. */
export interface PlanDispatchDecision {
  readonly gateReason: string | null;
  readonly context: PlanCoordinationContext;
}

/** The ledger is made before anybody is asked, so that who reviews the plan has it. */
export function decidePlanDispatch(task: Task): PlanDispatchDecision {
  const start = toPlanCoordinationContext(task);
  const chain = buildCoordinationChain(start.settings);
  let context = start;
  try {
    for (const each of chain) context = runCoordinationHook([each], 'before_dispatch', context);
    // A chain without its gate lets nothing through that a person was to see.
    const { plan_review_gate: gate } = context.metadata;
    return gate === undefined
      ? { gateReason: 'no gate of its chain has let it through', context }
      : { gateReason: null, context };
  } catch (error) {
    if (!(error instanceof PlanReviewRequiredError)) throw error;
    return { gateReason: error.message, context };
  }
}
