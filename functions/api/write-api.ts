import type * as z from 'zod';
import type { ApprovalDecisionBody, ApprovalView } from '../../shared/api/approval-schemas.ts';
import { approvalView } from '../../shared/api/approval-view.ts';
import type { DeadLetterView } from '../../shared/api/dead-letter-schemas.ts';
import type { PlanDecisionBody, PlanView } from '../../shared/api/plan-schemas.ts';
import { planView } from '../../shared/api/plan-view.ts';
import { truncateProblemDetail } from '../../shared/api/problem.ts';
import { PATH_PARAMETERS } from '../../shared/api/routes.ts';
import type { SubmittedTaskResult, TaskView } from '../../shared/api/task-schemas.ts';
import { taskView } from '../../shared/api/task-views.ts';
import { type TuningView, tuningView } from '../../shared/api/tuning-schemas.ts';
import type { WorkRequestView } from '../../shared/api/work-request-schemas.ts';
import { workRequestView } from '../../shared/api/work-request-view.ts';
import type { WorkRequest } from '../../shared/contract/intake/schema.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import {
  approveWorkRequest,
  clarifyWorkRequest,
  rejectWorkRequest,
  type WorkRequestChange,
} from '../../shared/control/intake/commands.ts';
import { requestReverification } from '../../shared/control/task-commands/hold.ts';
import {
  cancelTask,
  reviewHeldTask,
  startRetryRound,
} from '../../shared/control/task-commands/operator-commands.ts';
import { withVersionCheck } from '../../shared/control/task-commands/task-change.ts';
import { AcceptedTreeStore } from '../../shared/store/accepted-trees.ts';
import { DailyMetricsStore } from '../../shared/store/daily-metrics.ts';
import { DeadLetterStore } from '../../shared/store/dead-letters.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { RoleLearningStore } from '../../shared/store/role-learning.ts';
import { TaskCompletionStore } from '../../shared/store/task-completions.ts';
import { TaskCountStore } from '../../shared/store/task-counts.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { SettingTuningStore } from '../../shared/store/tuning-state.ts';
import { WorkRequestStore } from '../../shared/store/work-requests.ts';
import { deadLetterView } from '../../shared/use-cases/operate/list-dead-letters.ts';
import { applyDeadLetterAction } from '../../shared/use-cases/operate/retry-dead-letters.ts';
import {
  type BeliefsContext,
  pinFirstTierForRole,
  resetTierBeliefs,
} from '../../shared/use-cases/operate/tier-beliefs.ts';
import {
  applyProposal,
  proposeSettingChanges,
  revertProposal,
  type SettingTuningContext,
} from '../../shared/use-cases/operate/tune-settings.ts';
import { applyReviewDecision } from '../../shared/use-cases/review/apply-review-decision.ts';
import { reviewPlan, submitPlan } from '../../shared/use-cases/submit/plans.ts';
import { type BatchTaskResult, submitBatch } from '../../shared/use-cases/submit/submit-batch.ts';
import { type SubmitContext, submitTask } from '../../shared/use-cases/submit/submit-task.ts';
import { submitWorkRequest } from '../../shared/use-cases/submit/work-requests.ts';
import { recordApprovalDecision } from '../../shared/use-cases/work/approvals.ts';
import {
  readApprovalSettings,
  readAvailableAgents,
  readCascadePolicy,
  readTierModels,
} from '../runtime/config.ts';
import { readReadCredentialScopes } from '../runtime/credential-provider.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { readPullRequestRepositoryPrefixes, readPushCredentialScopes } from '../runtime/repository-scopes.ts';
import { createApiHandler } from './api-handler.ts';
import type { ApiRouteResponse } from './response.ts';
import type { ApiRequestContext } from './route-request.ts';

const items = openTable();
const tasks = new TaskStore(items);
const accepted = new AcceptedTreeStore(items);
const beliefs = new RoleLearningStore(items);
const completions = new TaskCompletionStore(items);
const counts = new TaskCountStore(items);
const tuning = new SettingTuningStore(items);
const figures = new DailyMetricsStore(items);
const letters = new DeadLetterStore(items);
const requests = new WorkRequestStore(items);
const policy = readCascadePolicy();
const objects = createObjectStore();
const models = readTierModels();
const allowFileRepositories = readOptionalEnv(FUNCTION_ENV_NAMES.allowFileRepositories, 'false') === 'true';

const agents = readAvailableAgents();
const rules = readApprovalSettings();

const context = (request: ApiRequestContext): SubmitContext => ({
  tasks: tasks.withGuard(request.guardTask),
  canAccess: request.canAccess,
  objects,
  now: new Date(),
  submitter: request.principal,
  idempotencyKey: request.idempotencyKey,
  allowFileRepositories,
  pushScopes: readPushCredentialScopes(),
  pullRequestScopes: readPullRequestRepositoryPrefixes(),
  readScopes: readReadCredentialScopes(),
  agents,
});
const shown = (task: Task): ApiRouteResponse<TaskView> => ({
  body: taskView(task, models),
  version: task.version,
});
const replayed = (created: boolean): Pick<ApiRouteResponse, 'headers' | 'status'> =>
  created ? {} : { status: 200, headers: { 'idempotent-replay': 'true' } };

const resultView = (result: BatchTaskResult): z.infer<typeof SubmittedTaskResult> => ({
  id: result.id,
  outcome: result.outcome,
  ...(result.outcome === 'refused'
    ? { code: result.refusal.code, detail: truncateProblemDetail(result.refusal.message, []).detail }
    : {}),
});

/** A person's word on the plan that is proposed. */
async function decidePlanRoute(
  request: {
    readonly params: { readonly id: string };
    readonly body: z.infer<typeof PlanDecisionBody>;
    readonly principal: string;
    readonly guardTask: ApiRequestContext['guardTask'];
  },
  decision: 'approve' | 'reject',
): Promise<ApiRouteResponse<PlanView>> {
  const { reason, tree } = request.body;
  const word = { reason, tree, by: request.principal, now: new Date() };
  const task = await reviewPlan(request.params.id, decision, word, tasks.withGuard(request.guardTask));
  return { body: planView(task, new Map()), version: task.version };
}

/** A person's word on what an agent has asked leave for. */
async function decideApprovalRoute(
  request: {
    readonly params: { readonly id: string };
    readonly body: z.infer<typeof ApprovalDecisionBody>;
    readonly principal: string;
    readonly guardTask: ApiRequestContext['guardTask'];
  },
  decision: 'approve' | 'deny',
): Promise<ApiRouteResponse<ApprovalView>> {
  const { id } = request.params;
  const { number: approvalNumber, ...body } = request.body;
  const word = { ...body, approvalNumber, decision, by: request.principal };
  const context = { tasks: tasks.withGuard(request.guardTask), now: new Date() };
  const { task, approval } = await recordApprovalDecision(id, word, context);
  return { body: approvalView(approval), version: task.version };
}

/** A person's word on a request. */
async function changeRequest(
  {
    params,
    canAccess,
  }: { readonly params: { readonly id: string }; readonly canAccess: ApiRequestContext['canAccess'] },
  command: (request: WorkRequest) => WorkRequestChange | null,
): Promise<ApiRouteResponse<WorkRequestView>> {
  const now = await requests.applyCommand(params.id, command, ({ requested_task: requirement }) =>
    canAccess(requirement.repository),
  );
  return { body: workRequestView(now), version: now.version };
}

const learned = (): BeliefsContext => ({ beliefs, models, policy, now: new Date() });
/** What a person says of a role holds for all repositories: a token for some must not say it. */
function operatorNote(request: {
  readonly principal: string;
  readonly isUnrestricted: boolean;
  readonly body: { readonly reason: string };
}): { readonly by: string; readonly reason: string } {
  if (!request.isUnrestricted)
    throw new Refusal('forbidden', 'this is said of all repositories; the token is for some');
  return { by: request.principal, reason: request.body.reason };
}

const evolving = (): SettingTuningContext => ({
  tuning,
  beliefs,
  taskCounts: counts,
  dailyMetrics: figures,
  models,
  policy,
  now: new Date(),
});
const evolved = (state: Parameters<typeof tuningView>[0]): ApiRouteResponse<TuningView> => ({
  body: tuningView(state, policy.tuning_level),
});

async function deadLetterAction(
  request: Parameters<typeof operatorNote>[0] & { readonly params: { readonly letter: string } },
  event: 'requeue' | 'resolve' | 'abandon',
): Promise<ApiRouteResponse<DeadLetterView>> {
  const letter = await applyDeadLetterAction(
    request.params.letter,
    event,
    operatorNote(request),
    letters,
    new Date(),
  );
  return { body: deadLetterView(letter) };
}

export const handler = createApiHandler('api-submit', {
  retryDeadLetter: (request) => deadLetterAction(request, 'requeue'),
  resolveDeadLetter: (request) => deadLetterAction(request, 'resolve'),
  abandonDeadLetter: (request) => deadLetterAction(request, 'abandon'),
  resetVerification: async (request) => ({
    body: await completions.resetWindow({ ...operatorNote(request), at: new Date().toISOString() }),
  }),
  proposeChange: async (request) =>
    evolved(await proposeSettingChanges(request.body.change, operatorNote(request), evolving())),
  applyProposal: async (request) =>
    evolved(await applyProposal(request.body.proposal, operatorNote(request), evolving())),
  revertProposal: async (request) =>
    evolved(await revertProposal(request.body.proposal, operatorNote(request), evolving())),
  clearProvider: async (request) => {
    // Loaded on demand: rare, and no other route here needs it.
    const { clearProvider } = await import('../../shared/use-cases/operate/provider-status.ts');
    const { ProviderCooldownStore } = await import('../../shared/store/provider-cooldowns.ts');
    const provider = PATH_PARAMETERS.provider.parse(request.params.provider);
    const store = new ProviderCooldownStore(items);
    return { body: await clearProvider(provider, operatorNote(request), store, new Date()) };
  },
  pinTier: async (request) => ({
    body: await pinFirstTierForRole(request.params.role, request.body, operatorNote(request), learned()),
  }),
  resetBeliefs: async (request) => ({
    body: await resetTierBeliefs(request.params.role, request.body.tier, operatorNote(request), learned()),
  }),
  submitTask: async (request) => {
    const { task, created } = await submitTask(request.body, context(request));
    // Without an ETag: the platform writes the task again at once, with its base commit.
    return { body: taskView(task, models), ...replayed(created) };
  },
  submitBatch: async (request) => {
    const results = await submitBatch(request.body.tasks, context(request));
    const refused = results.some(({ outcome }) => outcome === 'refused');
    return {
      body: {
        tasks: results.flatMap((each) => ('task' in each ? [taskView(each.task, models)] : [])),
        results: results.map(resultView),
      },
      ...(refused ? { status: 207 } : replayed(results.some(({ outcome }) => outcome === 'created'))),
    };
  },
  submitPlan: async (request) => {
    const { task, created } = await submitPlan(request.body, {
      ...context(request),
      autonomy: rules.autonomy,
    });
    return { body: planView(task, new Map()), ...replayed(created) };
  },
  approve: (request) => decideApprovalRoute(request, 'approve'),
  deny: (request) => decideApprovalRoute(request, 'deny'),
  submitRequest: async (request) => {
    const { request: made, entered } = await submitWorkRequest(request.body, {
      ...context(request),
      requests,
    });
    return { body: workRequestView(made), version: made.version, ...replayed(entered) };
  },
  clarifyRequest: (request) =>
    changeRequest(request, (each) => clarifyWorkRequest(each, request.body, request.principal, new Date())),
  approveRequest: (request) =>
    changeRequest(request, (each) => approveWorkRequest(each, request.principal, new Date())),
  rejectRequest: (request) =>
    changeRequest(request, (each) =>
      rejectWorkRequest(each, request.body.reason, request.principal, new Date()),
    ),
  approvePlan: (request) => decidePlanRoute(request, 'approve'),
  rejectPlan: (request) => decidePlanRoute(request, 'reject'),
  cancel: async (request) => {
    const { reason } = request.body;
    return shown(
      await tasks.withGuard(request.guardTask).applyCommand(
        request.params.id,
        withVersionCheck(request.ifMatch, (task) => cancelTask(task, reason, request.principal, new Date())),
      ),
    );
  },
  retry: async (request) =>
    shown(
      await tasks.withGuard(request.guardTask).applyCommand(
        request.params.id,
        withVersionCheck(request.ifMatch, (task) => startRetryRound(task, new Date())),
      ),
    ),
  verify: async (request) => {
    const { reason } = request.body;
    return shown(
      await tasks.withGuard(request.guardTask).applyCommand(
        request.params.id,
        withVersionCheck(request.ifMatch, (task) =>
          requestReverification(task, reason, request.principal, new Date()),
        ),
      ),
    );
  },
  review: async (request) => {
    const { decision, reason, ...work } = request.body;
    return shown(
      await applyReviewDecision(
        request.params.id,
        withVersionCheck(request.ifMatch, (task) =>
          reviewHeldTask(task, decision, reason, request.principal, work, new Date()),
        ),
        { tasks: tasks.withGuard(request.guardTask), accepted, now: new Date() },
      ),
    );
  },
});
