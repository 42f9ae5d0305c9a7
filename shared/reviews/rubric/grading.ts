import type { GradingRecord } from '../../contract/rubric/grading-record.ts';
import type { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ResolvedVerification } from '../../contract/workflow/resolved-workflow.ts';
import type { AtomicProbe } from './atomic-probe.ts';
import type { AgentHandoff } from './handoff.ts';

/** Input of a grader. */
export interface GradingInput {
  readonly artifact: AgentHandoff;
  readonly rubric: VerificationRubric;
  readonly probes: readonly AtomicProbe[];
  readonly generator_agent_id: string;
  readonly evaluator_agent_id: string;
  readonly at: Date;
}

/** The verification nodes of a task at which a grader is asked, in the order in which work comes to them. */
export const listRubricGradedWorkflowNodes = ({
  resolved_workflow: workflow,
}: Pick<Task, 'resolved_workflow'>): ResolvedVerification[] =>
  workflow?.verifications.filter(({ grader }) => grader !== 'evidence') ?? [];

/** The record of a grading before it has a result. */
export const createEmptyGradingRecord = ({
  node,
  rubric,
  decomposer,
  grader,
}: ResolvedVerification): GradingRecord => ({
  node,
  rubric: rubric?.name ?? '',
  decomposer,
  grader,
  grades: {},
  weighted_score: null,
  handoff: null,
});
