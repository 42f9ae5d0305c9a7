import type * as z from 'zod';
import { planView } from '../../shared/api/plan-view.ts';
import type { DeploymentStatusView } from '../../shared/api/task-schemas.ts';
import { attemptListView, taskView } from '../../shared/api/task-views.ts';
import { tuningView } from '../../shared/api/tuning-schemas.ts';
import { workRequestView } from '../../shared/api/work-request-view.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { filterActiveCooldowns } from '../../shared/control/cascade/provider-cooldown.ts';
import { parseVerificationNudgeRules } from '../../shared/control/ledger/nudge-rules.ts';
import { plannedTaskId } from '../../shared/control/planning/planned-tasks.ts';
import { findHeartbeatAttempt } from '../../shared/control/task-commands/heartbeat.ts';
import { applyTuningToCascadePolicy } from '../../shared/control/tune/active-changes.ts';
import { ASSAY_VERSION } from '../../shared/lib/version.ts';
import { CircuitBreakerStore } from '../../shared/store/circuit-breakers.ts';
import { DailyMetricsStore } from '../../shared/store/daily-metrics.ts';
import { DeadLetterStore } from '../../shared/store/dead-letters.ts';
import { FileHealthStore } from '../../shared/store/file-health.ts';
import { ProviderCooldownStore } from '../../shared/store/provider-cooldowns.ts';
import { RoleLearningStore } from '../../shared/store/role-learning.ts';
import { TaskCompletionStore } from '../../shared/store/task-completions.ts';
import { TaskCountStore } from '../../shared/store/task-counts.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { SettingTuningStore } from '../../shared/store/tuning-state.ts';
import { WorkRequestStore } from '../../shared/store/work-requests.ts';
import {
  readFileHealth,
  readFileHistory,
  readFlaggedFiles,
} from '../../shared/use-cases/operate/file-health.ts';
import { listBlockedTasks } from '../../shared/use-cases/operate/list-blocked-tasks.ts';
import { deadLetterView, listDeadLetters } from '../../shared/use-cases/operate/list-dead-letters.ts';
import { listReviews } from '../../shared/use-cases/operate/list-reviews.ts';
import { listTasks } from '../../shared/use-cases/operate/list-tasks.ts';
import { listProviderStatus } from '../../shared/use-cases/operate/provider-status.ts';
import {
  forecastBudget,
  readQualityAuthors,
  readQualityByModel,
  readQualityCost,
  readQualityMetrics,
  readQualityTrend,
} from '../../shared/use-cases/operate/quality-metrics.ts';
import { readArtifactPart } from '../../shared/use-cases/operate/read-artifact-part.ts';
import { requireDeadLetter } from '../../shared/use-cases/operate/retry-dead-letters.ts';
import {
  computeStatusEtag,
  readSystemStatus,
  readVerificationNudgeWindow,
} from '../../shared/use-cases/operate/status.ts';
import { readTierBeliefs } from '../../shared/use-cases/operate/tier-beliefs.ts';
import { requirePlan } from '../../shared/use-cases/submit/plans.ts';
import { listWorkRequests } from '../../shared/use-cases/submit/work-requests.ts';
import { listApprovals } from '../../shared/use-cases/work/approvals.ts';
import { readCascadePolicy, readTierModels } from '../runtime/config.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { createApiHandler } from './api-handler.ts';
import type { ApiRouteResponse } from './response.ts';
import { restrictTaskToCaller } from './visible-task.ts';

const objects = createObjectStore();
const items = openTable();
const tasks = new TaskStore(items);
const counts = new TaskCountStore(items);
const completions = new TaskCompletionStore(items);
const beliefs = new RoleLearningStore(items);
const figures = new DailyMetricsStore(items);
const files = new FileHealthStore(items);
const breakers = new CircuitBreakerStore(items);
const letters = new DeadLetterStore(items);
const requests = new WorkRequestStore(items);
const providers = new ProviderCooldownStore(items);
const tuning = new SettingTuningStore(items);
const policy = readCascadePolicy();
const models = readTierModels();
const nudge = parseVerificationNudgeRules(process.env);

const taskVersion = (task: Task): Pick<ApiRouteResponse, 'version' | 'leaseUntil'> => ({
  version: task.version,
  leaseUntil: findHeartbeatAttempt(task)?.lease_until,
});

/** Removes roles and task ids, which are of all repositories, and keeps the totals. */
const withoutOtherRepositories = <T extends Partial<z.infer<typeof DeploymentStatusView>>>(all: T): T => ({
  ...all,
  ...(all.per_role && { per_role: [] }),
  ...(all.verification_nudge && {
    verification_nudge: { ...all.verification_nudge, recent_unverified: [] },
  }),
});

export const handler = createApiHandler('api-read', {
  listTasks: async (request) => ({
    body: await listTasks(request.query, tasks, ({ repository }) => request.canAccess(repository)),
  }),
  listReviews: async (request) => ({
    body: await listReviews(request.query, tasks, ({ repository }) => request.canAccess(repository)),
  }),
  listApprovals: async (request) => ({
    body: await listApprovals(request.query, tasks, new Date(), ({ repository }) =>
      request.canAccess(repository),
    ),
  }),
  getRequest: async (request) => {
    const found = await requests.require(request.params.id, ({ requested_task: requirement }) =>
      request.canAccess(requirement.repository),
    );
    return { body: workRequestView(found), version: found.version };
  },
  listRequests: async (request) => ({
    body: await listWorkRequests(request.query, requests, ({ requested_task: requirement }) =>
      request.canAccess(requirement.repository),
    ),
  }),
  getTask: async (request) => {
    const visible = tasks.withGuard(request.guardTask);
    const task = await visible.require(request.params.id);
    const blocks = await listBlockedTasks(task, visible);
    return {
      body: { ...taskView(restrictTaskToCaller(request, task), models), ...(blocks && { blocks }) },
      ...taskVersion(task),
    };
  },
  listAttempts: async (request) => {
    const task = await tasks.withGuard(request.guardTask).require(request.params.id);
    return { body: attemptListView(restrictTaskToCaller(request, task), models), ...taskVersion(task) };
  },
  artifact: async (request) => {
    const task = await tasks.withGuard(request.guardTask).require(request.params.id);
    return { body: await readArtifactPart(task, request.query, objects) };
  },
  getPlan: async (request) => {
    const task = requirePlan(await tasks.withGuard(request.guardTask).require(request.params.id));
    const ids = (task.plan?.proposal?.tasks ?? []).map(({ key }) => plannedTaskId(task.id, key));
    return {
      body: planView(task, await tasks.withGuard(request.guardTask).getMany(ids)),
      version: task.version,
    };
  },
  status: async (request) => {
    const all = await readSystemStatus({
      counts,
      breakers,
      providers,
      completions,
      nudge,
      now: new Date(),
    });
    const body = request.isUnrestricted ? all : withoutOtherRepositories(all);
    return { body, etag: computeStatusEtag(body) };
  },
  verification: async (request) => {
    const all = await readVerificationNudgeWindow({ counts, completions, nudge, now: new Date() });
    return {
      body: request.isUnrestricted ? all : { ...withoutOtherRepositories(all), completions: [] },
    };
  },
  cascade: async (request) => ({
    body: {
      ...(await readTierBeliefs(request.query.role, counts, {
        beliefs,
        models,
        policy: applyTuningToCascadePolicy(policy, await tuning.read()),
        now: new Date(),
      })),
      cooldowns: filterActiveCooldowns(await providers.listCooldowns(), new Date()).map(
        ({ counted_attempts: _, ...each }) => each,
      ),
    },
  }),
  listProviders: async () => ({ body: await listProviderStatus(providers, new Date()) }),
  getTuning: async () => ({ body: tuningView(await tuning.read(), policy.tuning_level) }),
  listDeadLetters: async (request) => ({
    body: await listDeadLetters(request.query, letters),
  }),
  getDeadLetter: async (request) => ({
    body: deadLetterView(await requireDeadLetter(request.params.letter, letters)),
  }),
  quality: async () => ({ body: await readQualityMetrics(figures, new Date()) }),
  qualityModels: async () => ({ body: await readQualityByModel(figures, new Date()) }),
  qualityAuthors: async ({ query }) => ({ body: await readQualityAuthors(figures, query, new Date()) }),
  qualityCost: async ({ query }) => ({ body: await readQualityCost(figures, query, new Date()) }),
  budgetForecast: async () => ({
    body: await forecastBudget(figures, counts, policy.budgets?.deployment_usd ?? null, new Date()),
  }),
  qualityTrend: async ({ query }) => ({ body: await readQualityTrend(figures, query, new Date()) }),
  qualityFiles: async ({ query, canAccess }) => ({
    body: await readFileHealth(query, { files, canAccess, now: new Date() }),
  }),
  qualityFilesFlagged: async ({ query, canAccess }) => ({
    body: await readFlaggedFiles(query.repository, { files, canAccess, now: new Date() }),
  }),
  qualityFile: async ({ query, canAccess }) => ({
    body: await readFileHistory(query, { files, canAccess, now: new Date() }),
  }),
  health: async () => ({ body: { status: 'ok', version: ASSAY_VERSION } }),
});
