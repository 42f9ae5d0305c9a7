import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { AgentAdapterSettings } from '../agents/adapter.ts';
import { AutonomyLevel } from '../approval/autonomy.ts';
import { ExamMode } from '../check-outcome.ts';
import { Exam } from '../exam.ts';
import { FailureActionOverrides } from '../failure/error-action-overrides.ts';
import { GitRef } from '../repository/git-ref.ts';
import { RepositoryUrl } from '../repository/schema.ts';
import { MiddlewareChain } from './chain-schema.ts';
import { EXPECTED_CHANGE_KINDS, ExpectedChangeKind } from './expected-changes.ts';
import { HiddenTests } from './hidden-tests.ts';
import { CompletionSignal, isModelJudgedSignal, TaskOwnedPath } from './signals.ts';
import { WorkflowName } from './workflow-name.ts';

/** Words of the API's own paths that stand where a task's id would (`/tasks/next/{role}`): a task of that name could not be reached. */
export const RESERVED_TASK_IDS = ['batch', 'next'] as const;
const TASK_ID = new RegExp(`^(?!(?:${RESERVED_TASK_IDS.join('|')})$)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`);

/** Ids go into branch names, object keys and execution names, hence the narrow alphabet and length. */
export const TaskId = z
  .string()
  .regex(
    TASK_ID,
    `must be 1 to 64 letters, digits, "_" or "-", starting with a letter or digit, and none of ${RESERVED_TASK_IDS.join(', ')}`,
  );
export type TaskId = z.infer<typeof TaskId>;

export const RoleName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    'must be 1 to 32 lower-case letters, digits or "-", starting with a letter',
  );
export const PRIORITIES = [1, 2, 3] as const;
export const TaskPriority = z.literal([1, 2, 3]).describe('1 critical, 2 normal, 3 nice to have.');
export const TaskScope = z.enum(['small', 'medium', 'large']);
export const TaskComplexity = z.enum(['low', 'medium', 'high']);
export type TaskComplexity = z.infer<typeof TaskComplexity>;
export const EFFORTS = ['low', 'normal', 'medium', 'high', 'max'] as const;
export const Effort = z.enum(EFFORTS);
export type Effort = z.infer<typeof Effort>;
export const RunnerKind = z
  .enum(['managed', 'external', 'pull_request'])
  .describe(
    'managed: the dispatcher launches a container. external: an outside agent claims it. pull_request: the work is a pull request to verify.',
  );
/** Runners that a request may name: tasks of pull requests follow from events of a forge. */
export const SubmittedRunner = RunnerKind.exclude(['pull_request']).describe(
  'managed: the dispatcher launches a container. external: an outside agent claims it.',
);

/** How passed work leaves. */
export const DELIVERY_MODES = ['branch', 'pull_request', 'merge_queue'] as const;
export const DeliveryMode = z
  .enum(DELIVERY_MODES)
  .describe(
    'branch (default): a branch of the task. pull_request: that branch, and a pull request from it. merge_queue: onto the branch that `base_ref` names, and judged again on its current commit.',
  );
export type DeliveryMode = z.infer<typeof DeliveryMode>;

export const TaskBudget = z.strictObject({
  max_attempts: z
    .number()
    .int()
    .min(1)
    .max(10)
    .default(5)
    .describe('Maximum number of attempts over all models.'),
  max_cost_usd: StorableNumber.positive()
    .max(10_000)
    .optional()
    .describe('No attempt starts once this many dollars are spent.'),
});
export type TaskBudget = z.infer<typeof TaskBudget>;

const uniqueItems = <T extends z.ZodType<readonly unknown[]>>(schema: T) =>
  schema.superRefine((items, context) => {
    items.forEach((item, index) => {
      if (items.indexOf(item) !== index)
        context.addIssue({ code: 'custom', path: [index], message: 'is listed twice' });
    });
  });

/** Most fix-up tasks that one piece of work may have. */
export const MAX_FIX_UPS = 2;
/** What a task does about dependencies that have failed. */
export const FAILED_DEPENDENCY_POLICIES = ['wait', 'lenient', 'strict'] as const;

/** Signals of one task that a model is asked about: each costs money with every attempt. */
export const MAX_MODEL_JUDGED_SIGNALS = 5;

/** The body of `POST /tasks`. Every list is capped at 100 entries. */
export const TaskSubmission = z
  .strictObject({
    id: TaskId.optional().describe(
      'Own id; generated when absent. Batches use it for `depends_on` among themselves.',
    ),
    title: z.string().trim().min(1, 'must not be empty').max(500),
    description: z.string().max(100_000).default(''),
    role: RoleName.default('backend').describe(
      'Role of the agent. `auto`: chosen by words of title and description; the task then has `role_reason`.',
    ),
    priority: TaskPriority.default(2),
    scope: TaskScope.default('medium'),
    complexity: TaskComplexity.default('medium'),
    estimated_minutes: StorableNumber.min(0)
      .max(1_000_000)
      .optional()
      .describe('Estimated duration by a human, in minutes: a hint that decides nothing.'),
    repository: RepositoryUrl,
    base_ref: GitRef.describe(
      'Branch, tag or full commit id that the work starts from. The platform resolves it once into `base_commit`.',
    ).default('main'),
    depends_on: uniqueItems(z.array(TaskId).max(100)).default([]),
    files: uniqueItems(z.array(TaskOwnedPath).max(100))
      .default([])
      .describe(
        'Files or folders that the task owns until it ends. A protected file may be changed when it is named here. A patch that changes other files needs review, unless `allowed_files` in assay.yaml of the base says otherwise.',
      ),
    expected_changes: uniqueItems(z.array(ExpectedChangeKind).max(EXPECTED_CHANGE_KINDS.length))
      .default([])
      .describe(
        'Kinds of protected files that this task may change: they are judged and delivered as in the patch. Changes to others are reverted for the judgement and need review.',
      ),
    completion_signals: z
      .array(CompletionSignal)
      .max(100)
      .refine((signals) => signals.filter(isModelJudgedSignal).length <= MAX_MODEL_JUDGED_SIGNALS, {
        error: `at most ${MAX_MODEL_JUDGED_SIGNALS} of them may ask a model`,
      })
      .default([]),
    hidden_tests: HiddenTests.optional(),
    exam: Exam.optional().describe(
      'Acceptance tests that were written from the task alone, in the place of those of an examiner. Only the gates container gets them; requirements are shown, tests are not.',
    ),
    acceptance_criteria: z.array(z.string().trim().min(1).max(2_000)).max(100).default([]),
    model: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('A tier (haiku, sonnet, opus) to start at, or the id of the only model to use.'),
    effort: Effort.optional(),
    adapter: AgentAdapterSettings.optional().describe('Absent: the adapter of the deployment.'),
    runner: SubmittedRunner.default('managed'),
    budget: TaskBudget.prefault({}),
    max_retries: z
      .number()
      .int()
      .min(0)
      .max(10)
      .default(3)
      .describe('How often a lost lease or a lost container may reopen the task.'),
    max_fix_ups: z
      .int()
      .min(0)
      .max(MAX_FIX_UPS)
      .default(0)
      .describe(
        'Maximum number of consecutive fix-up tasks when the work fails verification and no attempt is left: each has the description with what failed, and replaces it for tasks that depend on it.',
      ),
    partial_dependencies: z
      .enum(FAILED_DEPENDENCY_POLICIES)
      .default('wait')
      .describe(
        'When dependencies failed for good: wait for an operator, or start when enough of the others are done. How many are enough depends on the failures: the least that any of them requires (lenient), or the most (strict).',
      ),
    deliver_unverified: z.boolean().default(false),
    delivery: DeliveryMode.optional(),
    autonomy: AutonomyLevel.optional().describe(
      "What the agent may do without approval. The lowest counts of this, `autonomy` in assay.yaml of the base commit, and the deployment's.",
    ),
    middleware_override: MiddlewareChain.optional().describe(
      "Middleware of its agents' runs, in this order (docs/how-to/middleware.md), instead of the repository's; an empty list: none.",
    ),
    error_action_overrides: FailureActionOverrides.optional(),
    acceptance_tests: ExamMode.optional().describe(
      'Effect of acceptance tests on the verdict. Absent: as `acceptance_tests` in assay.yaml of the base commit says.',
    ),
    challenge: ExamMode.optional().describe(
      'Effect of a challenger on the verdict. Absent: as `challenge` in assay.yaml of the base commit says.',
    ),
    workflow: WorkflowName.optional().describe(
      'The workflow that judges the work: a file of `.assay/workflows/` of the base commit, or a built-in one. Absent: `default`.',
    ),
  })
  .meta({ id: 'SubmitTask' });
export type TaskSubmission = z.infer<typeof TaskSubmission>;
export type TaskSubmissionInput = z.input<typeof TaskSubmission>;
