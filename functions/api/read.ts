import { evolutionView } from '../../shared/api/evolve-schemas.ts';
import { planView } from '../../shared/api/plan-view.ts';
import { requestView } from '../../shared/api/request-view.ts';
import { chainView, taskView } from '../../shared/api/views.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { coolingAt } from '../../shared/control/cascade/cooling.ts';
import { nudgeRulesOf } from '../../shared/control/ledger/nudge-rules.ts';
import { plannedId } from '../../shared/control/planning/create.ts';
import { attemptWithBeats } from '../../shared/control/task-commands/beat.ts';
import { policyInForce } from '../../shared/control/tune/in-force.ts';
import { VERSION } from '../../shared/lib/version.ts';
import { artifactPart } from '../../shared/use-cases/operate/artifact.ts';
import { requireLetter } from '../../shared/use-cases/operate/dead-letters.ts';
import { fileHealth, fileHistory, flaggedFiles } from '../../shared/use-cases/operate/file-health.ts';
import { learnedView } from '../../shared/use-cases/operate/learned.ts';
import { listTasks } from '../../shared/use-cases/operate/list.ts';
import { letterView, listDeadLetters } from '../../shared/use-cases/operate/list-dead-letters.ts';
import {
  budgetForecast,
  quality,
  qualityCost,
  qualityOfModels,
  qualityTrend,
} from '../../shared/use-cases/operate/quality.ts';
import { listReviews } from '../../shared/use-cases/operate/reviews.ts';
import { statusTag, statusView, verificationWindow } from '../../shared/use-cases/operate/status.ts';
import { requirePlan } from '../../shared/use-cases/submit/plan.ts';
import { listRequests } from '../../shared/use-cases/submit/requests.ts';
import { listApprovals } from '../../shared/use-cases/work/approvals.ts';
import { cascadePolicy, tierModels } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { objects as objectStore } from '../runtime/objects.ts';
import type { Answer } from './answer.ts';
import { serve } from './serve.ts';
import { visibleTo } from './visible.ts';

const objects = objectStore();
const {
  tasks,
  counts,
  completions,
  beliefs,
  figures,
  files,
  breakers,
  letters,
  requests,
  providers,
  evolution,
} = stores();
const policy = cascadePolicy();
const models = tierModels();
const nudge = nudgeRulesOf(process.env);

const tagOf = (task: Task): Pick<Answer, 'version' | 'beat'> => ({
  version: task.version,
  beat: attemptWithBeats(task)?.lease_until,
});

/** Letters are of all repositories: a token for some sees none of them. */
function all({ unlimited }: { readonly unlimited: boolean }): typeof letters {
  if (!unlimited)
    throw new Refusal('forbidden', 'dead letters are of all repositories; this token is for some');
  return letters;
}

export const handler = serve('api-read', {
  listTasks: async (request) => ({
    body: await listTasks(request.query, tasks, ({ repository }) => request.serves(repository)),
  }),
  listReviews: async (request) => ({
    body: await listReviews(request.query, tasks, ({ repository }) => request.serves(repository)),
  }),
  listApprovals: async (request) => ({
    body: await listApprovals(request.query, tasks, new Date(), ({ repository }) =>
      request.serves(repository),
    ),
  }),
  getRequest: async (request) => {
    const found = await requests.demand(request.params.id, ({ requirement }) =>
      request.serves(requirement.repository),
    );
    return { body: requestView(found), version: found.version };
  },
  listRequests: async (request) => ({
    body: await listRequests(request.query, requests, ({ requirement }) =>
      request.serves(requirement.repository),
    ),
  }),
  getTask: async (request) => {
    const task = await tasks.guarded(request.guard).require(request.params.id);
    return { body: taskView(visibleTo(request, task), models), ...tagOf(task) };
  },
  listAttempts: async (request) => {
    const task = await tasks.guarded(request.guard).require(request.params.id);
    return { body: chainView(visibleTo(request, task), models), ...tagOf(task) };
  },
  artifact: async (request) => {
    const task = await tasks.guarded(request.guard).require(request.params.id);
    return { body: await artifactPart(task, request.query, objects) };
  },
  getPlan: async (request) => {
    const task = requirePlan(await tasks.guarded(request.guard).require(request.params.id));
    const ids = (task.plan?.proposal?.tasks ?? []).map(({ key }) => plannedId(task.id, key));
    return { body: planView(task, await tasks.guarded(request.guard).getMany(ids)), version: task.version };
  },
  status: async () => {
    const body = await statusView({
      counts,
      breakers,
      providers,
      completions,
      nudge,
      now: new Date(),
    });
    return { body, tag: statusTag(body) };
  },
  verification: async () => ({
    body: await verificationWindow({ counts, completions, nudge, now: new Date() }),
  }),
  cascade: async (request) => ({
    body: {
      ...(await learnedView(request.query.role, counts, {
        beliefs,
        models,
        policy: policyInForce(policy, await evolution.settings()),
        now: new Date(),
      })),
      cooling: coolingAt(await providers.coolings(), new Date()).map(({ seen: _, ...each }) => each),
    },
  }),
  evolution: async () => ({ body: evolutionView(await evolution.settings(), policy.evolve) }),
  deadLetters: async (request) => ({ body: await listDeadLetters(request.query, all(request)) }),
  deadLetter: async (request) => ({
    body: letterView(await requireLetter(request.params.letter, all(request))),
  }),
  quality: async () => ({ body: await quality(figures, new Date()) }),
  qualityModels: async () => ({ body: await qualityOfModels(figures, new Date()) }),
  qualityCost: async ({ query }) => ({ body: await qualityCost(figures, query, new Date()) }),
  budgetForecast: async () => ({
    body: await budgetForecast(figures, counts, policy.budgets?.deployment_usd ?? null, new Date()),
  }),
  qualityTrend: async ({ query }) => ({ body: await qualityTrend(figures, query, new Date()) }),
  qualityFiles: async ({ query, serves }) => ({
    body: await fileHealth(query, { files, serves, now: new Date() }),
  }),
  qualityFilesFlagged: async ({ query, serves }) => ({
    body: await flaggedFiles(query.repository, { files, serves, now: new Date() }),
  }),
  qualityFile: async ({ query, serves }) => ({
    body: await fileHistory(query, { files, serves, now: new Date() }),
  }),
  health: async () => ({ body: { status: 'ok', version: VERSION } }),
});
