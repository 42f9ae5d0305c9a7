import type * as z from 'zod';
import type { ApprovalView, ApprovalWordBody } from '../../shared/api/approval-schemas.ts';
import { approvalView } from '../../shared/api/approval-view.ts';
import type { LetterView } from '../../shared/api/dead-letter-schemas.ts';
import { type EvolutionView, evolutionView } from '../../shared/api/evolve-schemas.ts';
import type { PlanView, PlanWordBody } from '../../shared/api/plan-schemas.ts';
import { planView } from '../../shared/api/plan-view.ts';
import { bounded } from '../../shared/api/problem.ts';
import type { RequestView } from '../../shared/api/request-schemas.ts';
import { requestView } from '../../shared/api/request-view.ts';
import type { BatchEntry, TaskView } from '../../shared/api/schemas.ts';
import { taskView } from '../../shared/api/views.ts';
import type { WorkRequest } from '../../shared/contract/intake/schema.ts';
import { ENV } from '../../shared/contract/names.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { approveRequest, clarify, type Moved, rejectRequest } from '../../shared/control/intake/commands.ts';
import { atVersion } from '../../shared/control/task-commands/change.ts';
import { verifyAgain } from '../../shared/control/task-commands/hold.ts';
import { cancel, retry, review } from '../../shared/control/task-commands/operate.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { sayOfLetter } from '../../shared/use-cases/operate/dead-letters.ts';
import {
  applyProposal,
  type EvolveContext,
  proposeChange,
  revertProposal,
} from '../../shared/use-cases/operate/evolve.ts';
import { type LearnedContext, pinTier, resetLearned } from '../../shared/use-cases/operate/learned.ts';
import { letterView } from '../../shared/use-cases/operate/list-dead-letters.ts';
import { decidePlan, submitPlan } from '../../shared/use-cases/submit/plan.ts';
import { enterRequest } from '../../shared/use-cases/submit/requests.ts';
import { type SubmitContext, submitTask } from '../../shared/use-cases/submit/submit.ts';
import { type BatchResult, submitBatch } from '../../shared/use-cases/submit/submit-batch.ts';
import { wordOnApproval } from '../../shared/use-cases/work/approvals.ts';
import { approvalRules, cascadePolicy, deployedAgents, tierModels } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { readFrom } from '../runtime/minter.ts';
import { objects as objectStore } from '../runtime/objects.ts';
import { deliverTo, pullRequestsFor } from '../runtime/places.ts';
import type { Answer } from './answer.ts';
import type { Asked } from './request.ts';
import { serve } from './serve.ts';

const { tasks, beliefs, completions, counts, evolution, figures, letters, requests } = stores();
const policy = cascadePolicy();
const objects = objectStore();
const models = tierModels();
const allowFileRepositories = optionalEnv(ENV.allowFileRepositories, 'false') === 'true';

const agents = deployedAgents();
const rules = approvalRules();

const context = (request: Asked): SubmitContext => ({
  tasks: tasks.guarded(request.guard),
  serves: request.serves,
  objects,
  now: new Date(),
  by: request.principal,
  idempotencyKey: request.idempotencyKey,
  allowFileRepositories,
  deliverTo: deliverTo(),
  forges: pullRequestsFor(),
  readFrom: readFrom(),
  agents,
});
const shown = (task: Task): Answer<TaskView> => ({ body: taskView(task, models), version: task.version });
const replayed = (created: boolean): Pick<Answer, 'headers' | 'status'> =>
  created ? {} : { status: 200, headers: { 'idempotent-replay': 'true' } };

const resultView = (result: BatchResult): z.infer<typeof BatchEntry> => ({
  id: result.id,
  outcome: result.outcome,
  ...(result.outcome === 'refused'
    ? { code: result.refusal.code, detail: bounded(result.refusal.message, []).detail }
    : {}),
});

/** A person's word on the plan that is proposed. */
async function wordOnPlan(
  request: {
    readonly params: { readonly id: string };
    readonly body: z.infer<typeof PlanWordBody>;
    readonly principal: string;
    readonly guard: Asked['guard'];
  },
  decision: 'approve' | 'reject',
): Promise<Answer<PlanView>> {
  const { reason, tree } = request.body;
  const word = { reason, tree, by: request.principal, now: new Date() };
  const task = await decidePlan(request.params.id, decision, word, tasks.guarded(request.guard));
  return { body: planView(task, new Map()), version: task.version };
}

/** A person's word on what an agent has asked leave for. */
async function wordOn(
  request: {
    readonly params: { readonly id: string };
    readonly body: z.infer<typeof ApprovalWordBody>;
    readonly principal: string;
    readonly guard: Asked['guard'];
  },
  decision: 'approve' | 'deny',
): Promise<Answer<ApprovalView>> {
  const { id } = request.params;
  const word = { ...request.body, decision, by: request.principal };
  const context = { tasks: tasks.guarded(request.guard), now: new Date() };
  const { task, approval } = await wordOnApproval(id, word, context);
  return { body: approvalView(approval), version: task.version };
}

/** A person's word on a request. */
async function moved(
  { params, serves }: { readonly params: { readonly id: string }; readonly serves: Asked['serves'] },
  command: (request: WorkRequest) => Moved | null,
): Promise<Answer<RequestView>> {
  const now = await requests.advance(params.id, command, ({ requirement }) => serves(requirement.repository));
  return { body: requestView(now), version: now.version };
}

const learned = (): LearnedContext => ({ beliefs, models, policy, now: new Date() });
/** What a person says of a role holds for all repositories: a token for some must not say it. */
function wordOf(request: {
  readonly principal: string;
  readonly unlimited: boolean;
  readonly body: { readonly reason: string };
}): { readonly by: string; readonly reason: string } {
  if (!request.unlimited)
    throw new Refusal('forbidden', 'this is said of all repositories; the token is for some');
  return { by: request.principal, reason: request.body.reason };
}

const evolving = (): EvolveContext => ({
  evolution,
  beliefs,
  counts,
  figures,
  models,
  policy,
  now: new Date(),
});
const evolved = (state: Parameters<typeof evolutionView>[0]): Answer<EvolutionView> => ({
  body: evolutionView(state, policy.evolve),
});

async function ofLetter(
  request: Parameters<typeof wordOf>[0] & { readonly params: { readonly letter: string } },
  event: 'requeue' | 'resolve' | 'abandon',
): Promise<Answer<LetterView>> {
  const letter = await sayOfLetter(request.params.letter, event, wordOf(request), letters, new Date());
  return { body: letterView(letter) };
}

export const handler = serve('api-submit', {
  retryDeadLetter: (request) => ofLetter(request, 'requeue'),
  resolveDeadLetter: (request) => ofLetter(request, 'resolve'),
  abandonDeadLetter: (request) => ofLetter(request, 'abandon'),
  resetVerification: async (request) => ({
    body: await completions.beginAnew({ ...wordOf(request), at: new Date().toISOString() }),
  }),
  proposeChange: async (request) =>
    evolved(await proposeChange(request.body.setting, wordOf(request), evolving())),
  applyProposal: async (request) =>
    evolved(await applyProposal(request.body.proposal, wordOf(request), evolving())),
  revertProposal: async (request) =>
    evolved(await revertProposal(request.body.proposal, wordOf(request), evolving())),
  pinTier: async (request) => ({
    body: await pinTier(request.params.role, request.body, wordOf(request), learned()),
  }),
  resetLearned: async (request) => ({
    body: await resetLearned(request.params.role, request.body.tier, wordOf(request), learned()),
  }),
  submitTask: async (request) => {
    const { task, created } = await submitTask(request.body, context(request));
    return { ...shown(task), ...replayed(created) };
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
    return { body: planView(task, new Map()), version: task.version, ...replayed(created) };
  },
  approve: (request) => wordOn(request, 'approve'),
  deny: (request) => wordOn(request, 'deny'),
  submitRequest: async (request) => {
    const { request: made, entered } = await enterRequest(request.body, { ...context(request), requests });
    return { body: requestView(made), version: made.version, ...replayed(entered) };
  },
  clarifyRequest: (request) =>
    moved(request, (each) => clarify(each, request.body, request.principal, new Date())),
  approveRequest: (request) => moved(request, (each) => approveRequest(each, request.principal, new Date())),
  rejectRequest: (request) =>
    moved(request, (each) => rejectRequest(each, request.body.reason, request.principal, new Date())),
  approvePlan: (request) => wordOnPlan(request, 'approve'),
  rejectPlan: (request) => wordOnPlan(request, 'reject'),
  cancel: async (request) => {
    const { reason } = request.body;
    return shown(
      await tasks.guarded(request.guard).change(
        request.params.id,
        atVersion(request.ifMatch, (task) => cancel(task, reason, request.principal, new Date())),
      ),
    );
  },
  retry: async (request) =>
    shown(
      await tasks.guarded(request.guard).change(
        request.params.id,
        atVersion(request.ifMatch, (task) => retry(task, new Date())),
      ),
    ),
  verify: async (request) => {
    const { reason } = request.body;
    return shown(
      await tasks.guarded(request.guard).change(
        request.params.id,
        atVersion(request.ifMatch, (task) => verifyAgain(task, reason, request.principal, new Date())),
      ),
    );
  },
  review: async (request) => {
    const { decision, reason, ...work } = request.body;
    return shown(
      await tasks.guarded(request.guard).change(
        request.params.id,
        atVersion(request.ifMatch, (task) =>
          review(task, decision, reason, request.principal, work, new Date()),
        ),
      ),
    );
  },
});
