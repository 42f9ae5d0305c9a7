import * as z from 'zod';
import { AgentAdapterSettings } from '../agents/adapter.ts';
import { ReasoningEffortLevel } from '../agents/effort.ts';
import { ExamMode } from '../check-outcome.ts';
import { FailureActionOverrides } from '../failure/error-action-overrides.ts';
import { JudgeModels } from '../models/judge-models.ts';
import { TokenUsage } from '../models/usage.ts';
import { GitObjectId, GitRef } from '../repository/git-ref.ts';
import { RepositoryUrl } from '../repository/schema.ts';
import { PROMPT_PART_NAMES } from '../roles/prompt-parts.ts';
import { MiddlewareChain } from '../submission/chain-schema.ts';
import { ExpectedChangeKind } from '../submission/expected-changes.ts';
import { DeliveryMode, RoleName, TaskId } from '../submission/schema.ts';
import { AuthorSignal, CompletionSignal } from '../submission/signals.ts';

const AssignmentFields = z.object({
  schema_version: z.literal(1),
  task_id: TaskId,
  attempt: z.number().int().positive(),
  /** Base URL of the API, without a slash at the end. */
  api_url: z.string(),
  /** Signed DELETE of this assignment: the box removes it before anything else runs, so that whoever finds its URL later finds nothing. */
  delete_url: z.string(),
  /** Bearer token, good for this box of this attempt only. */
  token: z.string(),
  repository: RepositoryUrl,
  /** Authorization header value for reading a private repository, or null. Forgotten by the supervisor before any command of the repository runs. */
  read_credential: z.string().nullable(),
});

/** How the agent reaches models. The token is worth something to the gateway alone, and only as long as this attempt runs. */
export const AgentModelAccess = z.object({
  token: z.string(),
  /** As the clients of each provider want it: `/v1` is part of OpenAI's. */
  base_urls: z.object({ anthropic: z.string(), openai: z.string(), gemini: z.string() }),
  /** Names that may be asked for. */
  models: z.array(z.string()),
  /** True: the gateway is ours, counts, and ends at the budget. False: a gateway of the user's own, so that usage is a claim. */
  metered: z.boolean(),
});
export type AgentModelAccess = z.infer<typeof AgentModelAccess>;

export const AgentAssignment = AssignmentFields.extend({
  kind: z.literal('agent'),
  /** What the platform resolved the base ref to: all attempts of a round start from it. */
  base_commit: GitObjectId,
  title: z.string(),
  role: RoleName,
  /** What the role's template puts together: the role may be of the repository, which the box is the first to read. */
  prompt: z.partialRecord(z.enum(PROMPT_PART_NAMES), z.string()),
  model: z.string().nullable(),
  effort: ReasoningEffortLevel,
  adapter: AgentAdapterSettings,
  /** Command lines of the task's `test_passes` signals, which its prompt names too. */
  test_commands: z.array(z.string()).default([]),
  /** What middleware around the run knows of the task. Absent: the run has no middleware, as at a worker. */
  middleware_context: z
    .object({
      description: z.string(),
      acceptance_criteria: z.array(z.string()),
      /** The task's own, in the place of the base's. */
      middleware_chain: MiddlewareChain.optional(),
      error_action_overrides: FailureActionOverrides.optional(),
      /** Actions that a person has allowed this attempt. */
      approved_actions: z.array(z.string()),
      /** The task that it was made from. */
      origin_task_id: z.string().nullable(),
      /** What the first of them asked for, as a hash. */
      root_content_sha256: z.string().nullable(),
    })
    .optional(),
  /** Null: the deployment has no gateway, and the agent must know for itself. */
  model_access: AgentModelAccess.nullable(),
  /** Set when the attempt goes on after an approval: what it had made of the base until then. */
  parked_work: z.object({ tree: GitObjectId, patch_url: z.string(), patch_sha256: z.string() }).optional(),
  /** Set when its CLI can go on with the session of the box before: what that has written down, and what it is told. */
  resumed_session: z
    .object({ session: z.string(), url: z.string(), sha256: z.string(), message: z.string() })
    .optional(),
  /** Set when no agent works: the container takes the head of a pull request, put onto the base commit. */
  pull_request: z
    .object({
      number: z.number().int().positive(),
      head_ref: GitRef,
      head_commit: GitObjectId,
      author: z.string(),
    })
    .optional(),
  /** Interval of heartbeats in seconds; the lease is several times longer. */
  heartbeat_s: z.number().positive(),
});
export type AgentAssignment = z.infer<typeof AgentAssignment>;

/** What gates may ask, and by what token: worth something to the gateway alone, and only as long as this box runs. */
export const GatesModelAccess = z.object({ token: z.string(), models: JudgeModels });
export type GatesModelAccess = z.infer<typeof GatesModelAccess>;

export const GatesAssignment = AssignmentFields.extend({
  kind: z.literal('gates'),
  base_commit: z.string(),
  /** Name of the toolchain image that this box is of; absent: the usual one. */
  image: z.string().optional(),
  /** Branch or tag that the work is to go to; it may have moved since. */
  base_ref: GitRef,
  /** The tree that the agent's artifact claims; ours is computed and must be the same. */
  tree: z.string(),
  patch_url: z.string(),
  patch_sha256: z.string(),
  title: z.string(),
  role: RoleName,
  description: z.string(),
  acceptance_criteria: z.array(z.string()).default([]),
  /** The model that the attempt was made with, or null. */
  model: z.string().nullable(),
  signals: z.array(CompletionSignal),
  /** Signals that the author of a pull request names; absent: none. */
  author_signals: z.array(AuthorSignal).optional(),
  /** Set when the work is a plan: how many tasks it may have. */
  plan: z.object({ max_tasks: z.number().int() }).optional(),
  /** Files that the task names, and kinds of change that it foresees: what steers checks may change there. */
  files: z.array(z.string()),
  expected_changes: z.array(ExpectedChangeKind),
  /** Where the hidden tests are to be read from, and what must lie there; null: the task has none. In no other assignment. */
  hidden_tests: z
    .object({
      url: z.string(),
      sha256: z.string(),
      bytes: z.number().int().nonnegative(),
      /** As above, for the repository that they name; null where they name none, or none is needed. */
      read_credential: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** Where the submitted exam is to be read from. Absent: the task has none. In no other assignment. */
  exam: z.object({ url: z.string(), sha256: z.string(), bytes: z.int().nonnegative() }).optional(),
  /** Who decides about acceptance tests where the base commit's assay.yaml does not say: the task before it, the deployment after it. */
  exam_mode: z.object({ task: ExamMode.optional(), deployment: ExamMode.optional() }).optional(),
  /** Null: no model is configured that gates could ask. */
  model_access: GatesModelAccess.nullable().default(null),
});
export type GatesAssignment = z.infer<typeof GatesAssignment>;

/** What a challenger is told. It never gets the tests of an exam. */
export const ChallengerAssignment = AssignmentFields.extend({
  kind: z.literal('challenger'),
  base_commit: z.string(),
  image: z.string().optional(),
  tree: z.string(),
  patch_url: z.string(),
  patch_sha256: z.string(),
  title: z.string(),
  description: z.string(),
  acceptance_criteria: z.array(z.string()),
  files: z.array(z.string()),
  expected_changes: z.array(ExpectedChangeKind),
  /** Results of the gates. */
  checks: z.array(z.object({ name: z.string(), outcome: z.string(), detail: z.string() })),
  /** Requirements of the exam with their results. */
  requirements: z.array(z.object({ requirement: z.string(), outcome: z.string() })),
  model: z.string(),
  adapter: AgentAdapterSettings,
  mode: ExamMode,
  refer_above: z.number(),
  /** How the CLI reaches its model. */
  model_access: AgentModelAccess.nullable(),
  /** The adjudicator, asked by the same token. */
  judge_access: GatesModelAccess.nullable(),
});
export type ChallengerAssignment = z.infer<typeof ChallengerAssignment>;

export const DeliveryAssignment = AssignmentFields.extend({
  kind: z.literal('deliver'),
  base_commit: z.string(),
  tree: z.string(),
  patch_url: z.string(),
  patch_sha256: z.string(),
  branch: z.string(),
  /** Whether anything follows the branch. Absent: nothing does. */
  delivery_mode: DeliveryMode.optional(),
  /** The branch that the work is to go onto. */
  target_branch: GitRef.optional(),
  /** Commit message; author and dates are fixed below, so the same delivery makes the same commit id every time. */
  message: z.string(),
  author: z.string(),
  committed_at: z.iso.datetime(),
});
export type DeliveryAssignment = z.infer<typeof DeliveryAssignment>;

export const LaunchAssignment = z.discriminatedUnion('kind', [
  AgentAssignment,
  GatesAssignment,
  ChallengerAssignment,
  DeliveryAssignment,
]);
export type LaunchAssignment = z.infer<typeof LaunchAssignment>;

/** What a command adapter may leave in the file named by `ASSAY_USAGE_FILE`. */
export const CommandAdapterUsageFile = z.object({
  usage: TokenUsage.optional(),
  summary: z.string().max(20_000).optional(),
  status: z.enum(['done', 'blocked']).optional(),
});
export type CommandAdapterUsageFile = z.infer<typeof CommandAdapterUsageFile>;
