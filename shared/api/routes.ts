import * as z from 'zod';
import { PROVIDERS } from '../contract/models/protocols.ts';
import { RoleName, TaskId, TaskSubmission } from '../contract/submission/schema.ts';
import { DeadLetterId } from '../control/dead-letters/dead-letter.ts';
import { APPROVAL_ROUTES } from './approval-routes.ts';
import { ArtifactPartResponse, ArtifactQuery } from './artifact-schemas.ts';
import { DEAD_LETTER_ROUTES } from './dead-letter-routes.ts';
import { FORGE_WEBHOOK_ROUTES } from './forge-webhook-routes.ts';
import { OVERVIEW_ROUTES } from './overview-routes.ts';
import { PLAN_ROUTES } from './plan-routes.ts';
import {
  ClaimBody,
  ClaimResponse,
  CompleteAttemptBody,
  FailAttemptBody,
  GatesCacheUrls,
  GatesCacheUrlsBody,
  HeartbeatBody,
  LeaseResponse,
  ReportChallengeBody,
  ReportDeliveryBody,
  ReportEvidenceBody,
  ReportProgressBody,
  RequestUploadUrlBody,
  UploadUrlResponse,
} from './report-schemas.ts';
import type { ApiFunctionName, RouteDefinition } from './route.ts';
import {
  AttemptList,
  ListTasksQuery,
  OptionalReasonBody,
  ReviewList,
  ReviewsQuery,
  ReviewTaskBody,
  SubmitTaskBatchBody,
  TaskBatchView,
  TaskList,
  TaskView,
} from './task-schemas.ts';
import { TUNING_ROUTES } from './tuning-routes.ts';
import { WORK_REQUEST_ROUTES } from './work-request-routes.ts';

export {
  API_CALLERS,
  API_FUNCTION_NAMES,
  type ApiCaller,
  type ApiFunctionName,
  type RouteDefinition,
} from './route.ts';

/** Path parameters by name. */
export const PATH_PARAMETERS = {
  id: TaskId,
  role: RoleName,
  letter: DeadLetterId,
  provider: z.enum(PROVIDERS),
} as const;

/** The one table of routes: API Gateway, the embedded server, the OpenAPI document and the CLI's client are made from it. */
export const ROUTES = {
  submitTask: {
    method: 'POST',
    path: '/tasks',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Submit a task',
    body: TaskSubmission,
    refusalCodes: ['id_taken', 'dependency_unknown', 'dependency_cycle'],
    response: TaskView,
    status: 201,
    isIdempotent: true,
  },
  submitBatch: {
    method: 'POST',
    path: '/tasks/batch',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Submit several tasks that may depend on each other',
    body: SubmitTaskBatchBody,
    refusalCodes: ['id_taken', 'dependency_unknown', 'dependency_cycle'],
    response: TaskBatchView,
    status: 201,
    isIdempotent: true,
    canBePartial: true,
  },
  ...PLAN_ROUTES,
  ...APPROVAL_ROUTES,
  ...FORGE_WEBHOOK_ROUTES,
  ...WORK_REQUEST_ROUTES,
  listTasks: {
    method: 'GET',
    path: '/tasks',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'List tasks, oldest first',
    query: ListTasksQuery,
    response: TaskList,
  },
  getTask: {
    method: 'GET',
    path: '/tasks/{id}',
    function: 'api-read',
    callers: ['operator', 'agent', 'gates', 'deliver'],
    right: 'read',
    summary: 'Get one task',
    response: TaskView,
  },
  listAttempts: {
    method: 'GET',
    path: '/tasks/{id}/attempts',
    function: 'api-read',
    callers: ['operator', 'agent'],
    right: 'read',
    summary: 'List all attempts of a task with models, costs and reasons',
    response: AttemptList,
  },
  artifact: {
    method: 'GET',
    path: '/tasks/{id}/artifact',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'Read an artifact of an attempt in parts: patch, transcript, evidence or screenshot',
    query: ArtifactQuery,
    response: ArtifactPartResponse,
  },
  nextTask: {
    method: 'GET',
    path: '/tasks/next/{role}',
    function: 'api-work',
    callers: ['operator'],
    right: 'work',
    summary: 'Claim the next external task of a role: priority first, then oldest',
    refusalCodes: ['no_task', 'stale_lease'],
    response: ClaimResponse,
    isClaim: true,
  },
  claimNext: {
    method: 'POST',
    path: '/tasks/next/{role}',
    function: 'api-work',
    callers: ['operator'],
    right: 'work',
    summary: 'Claim the next external task of a role, and name the model',
    body: ClaimBody,
    refusalCodes: ['no_task', 'stale_lease'],
    response: ClaimResponse,
    isClaim: true,
  },
  claimTask: {
    method: 'POST',
    path: '/tasks/{id}/claim',
    function: 'api-work',
    callers: ['operator'],
    right: 'work',
    summary: 'Claim one external task',
    body: ClaimBody,
    refusalCodes: ['conflict', 'stale_lease', 'base_unresolved', 'files_locked', 'self_review'],
    response: ClaimResponse,
    isClaim: true,
    takesIfMatch: true,
  },
  heartbeat: {
    method: 'POST',
    path: '/tasks/{id}/heartbeat',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Extend the lease',
    body: HeartbeatBody,
    refusalCodes: ['conflict'],
    response: LeaseResponse,
  },
  progress: {
    method: 'POST',
    path: '/tasks/{id}/progress',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Report progress; extends the lease',
    body: ReportProgressBody,
    refusalCodes: ['conflict'],
    response: LeaseResponse,
  },
  upload: {
    method: 'POST',
    path: '/tasks/{id}/artifact',
    function: 'api-upload',
    callers: ['agent', 'gates', 'deliver'],
    summary: 'Get a presigned URL for one upload of exactly these bytes',
    body: RequestUploadUrlBody,
    refusalCodes: ['conflict'],
    response: UploadUrlResponse,
  },
  memory: {
    method: 'POST',
    path: '/tasks/{id}/memory',
    function: 'api-upload',
    callers: ['gates', 'challenger'],
    summary: 'Get presigned URLs of the gates cache of a repository',
    body: GatesCacheUrlsBody,
    response: GatesCacheUrls,
  },
  complete: {
    method: 'POST',
    path: '/tasks/{id}/complete',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Submit the work of an attempt for verification',
    body: CompleteAttemptBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base'],
    response: TaskView,
    isFinalReport: true,
  },
  fail: {
    method: 'POST',
    path: '/tasks/{id}/fail',
    function: 'api-work',
    callers: ['operator', 'agent'],
    right: 'submit',
    summary: 'Report that the attempt failed',
    body: FailAttemptBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base'],
    response: TaskView,
    takesIfMatch: true,
    isFinalReport: true,
  },
  release: {
    method: 'POST',
    path: '/tasks/{id}/release',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Release an external task; others may claim it at once',
    body: OptionalReasonBody,
    refusalCodes: ['conflict'],
    response: TaskView,
  },
  evidence: {
    method: 'POST',
    path: '/tasks/{id}/evidence',
    function: 'api-evidence',
    callers: ['gates'],
    summary: 'Submit the evidence',
    body: ReportEvidenceBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base'],
    response: TaskView,
    isFinalReport: true,
  },
  challenge: {
    method: 'POST',
    path: '/tasks/{id}/challenge',
    function: 'api-evidence',
    callers: ['challenger'],
    summary: 'Submit the result of a challenger',
    body: ReportChallengeBody,
    response: TaskView,
    isFinalReport: true,
  },
  delivery: {
    method: 'POST',
    path: '/tasks/{id}/delivery',
    function: 'api-work',
    callers: ['deliver'],
    summary: 'Request permission to push, and report the push',
    body: ReportDeliveryBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base'],
    response: TaskView,
    isFinalReport: true,
  },
  cancel: {
    method: 'POST',
    path: '/tasks/{id}/cancel',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Cancel a task',
    body: OptionalReasonBody,
    refusalCodes: ['conflict'],
    response: TaskView,
    takesIfMatch: true,
  },
  retry: {
    method: 'POST',
    path: '/tasks/{id}/retry',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Give a failed task another round of attempts',
    body: OptionalReasonBody,
    refusalCodes: ['conflict'],
    response: TaskView,
    takesIfMatch: true,
  },
  review: {
    method: 'POST',
    path: '/tasks/{id}/review',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Approve or reject a task that needs review',
    body: ReviewTaskBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base', 'self_review'],
    response: TaskView,
    takesIfMatch: true,
  },
  verify: {
    method: 'POST',
    path: '/tasks/{id}/verify',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Repeat the verdict on a held task with the same evidence; models are asked again',
    body: OptionalReasonBody,
    refusalCodes: ['conflict'],
    response: TaskView,
    takesIfMatch: true,
  },
  listReviews: {
    method: 'GET',
    path: '/reviews',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'List tasks that need review: why, since when, and what happens without a decision',
    query: ReviewsQuery,
    response: ReviewList,
  },
  ...DEAD_LETTER_ROUTES,
  ...TUNING_ROUTES,
  ...OVERVIEW_ROUTES,
} as const satisfies Record<string, RouteDefinition>;

/** Whether a route takes an `Idempotency-Key`: what creates something or hands something out. */
export const takesIdempotencyKey = (route: Pick<RouteDefinition, 'isIdempotent' | 'isClaim'>): boolean =>
  route.isIdempotent === true || route.isClaim === true;

export type RouteName = keyof typeof ROUTES;
export const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];
/** The routes that one function serves. */
export type ApiRouteNameOfFunction<F extends ApiFunctionName> = {
  [N in RouteName]: (typeof ROUTES)[N]['function'] extends F ? N : never;
}[RouteName];

/** The path parameters of a route, by name. */
export type PathParameters<P extends string> = P extends `${string}{${infer K}}${infer Rest}`
  ? { readonly [Key in K]: string } & PathParameters<Rest>
  : unknown;

/** `POST /tasks/{id}/claim`: API Gateway's route key. */
export const routeKey = (route: Pick<RouteDefinition, 'method' | 'path'>): string =>
  `${route.method} ${route.path}`;
