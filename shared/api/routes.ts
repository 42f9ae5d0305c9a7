import type * as z from 'zod';
import { QualityModels, QualityTrend, QualityView, TrendQuery } from '../quality/schemas.ts';
import type { RefusalCode } from '../refusal.ts';
import { Role, SubmitTask, TaskId } from '../task/schema.ts';
import { CascadeQuery, CascadeView, PinBody, ResetBody } from './cascade-schemas.ts';
import type { Right } from './rights.ts';
import {
  AttemptList,
  BatchView,
  Claim,
  ClaimBody,
  CompleteBody,
  DeliveryBody,
  EvidenceBody,
  FailBody,
  Health,
  HeartbeatBody,
  Lease,
  ListQuery,
  MemoryBody,
  MemoryPlace,
  PlanBody,
  PlanView,
  PlanWordBody,
  ProgressBody,
  ReasonBody,
  ReviewBody,
  ReviewList,
  ReviewsQuery,
  StatusView,
  SubmitBatch,
  TaskList,
  TaskView,
  Upload,
  UploadBody,
} from './schemas.ts';

/** Who may call: nobody in particular, an operator's token, or the token of one box of one attempt. */
export const CALLERS = ['anyone', 'operator', 'agent', 'gates', 'deliver'] as const;
export type Caller = (typeof CALLERS)[number];

/**
 * Which function serves a route. Reads hold no write permission; who signs uploads cannot write tasks, and who writes evidence does
 * nothing else.
 */
export const API_FUNCTIONS = ['api-submit', 'api-work', 'api-upload', 'api-evidence', 'api-read'] as const;
export type ApiFunction = (typeof API_FUNCTIONS)[number];

export interface Route {
  readonly method: 'GET' | 'POST';
  /** In API Gateway's form: `{id}` for a path parameter. */
  readonly path: string;
  readonly function: ApiFunction;
  readonly callers: readonly Caller[];
  /** What an operator's token must be good for. */
  readonly right?: Right;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** Status of success; default 200. */
  readonly status?: number;
  /** The last word of a box, which it may repeat: its token is good for nothing else afterwards. */
  readonly report?: boolean;
  /** Makes tasks, and takes an `Idempotency-Key` header. */
  readonly idempotent?: boolean;
  /** Claims a task, and takes an `Idempotency-Key` header: a claim whose answer was lost is made again. */
  readonly claims?: boolean;
  /** What its use case refuses, beside what every route of its shape does; see `problemsOf`. */
  readonly refuses?: readonly RefusalCode[];
  /** May do a part only, and says so with 207. */
  readonly partial?: boolean;
  /** Takes an `If-Match` header with the task's version. */
  readonly ifMatch?: boolean;
}

/** Path parameters by name. */
export const PATH_PARAMETERS = { id: TaskId, role: Role } as const;

/** The one table of routes: API Gateway, the embedded server, the OpenAPI document and the CLI's client are made from it. */
export const ROUTES = {
  submitTask: {
    method: 'POST',
    path: '/tasks',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Submit a task',
    body: SubmitTask,
    refuses: ['id_taken', 'dependency_unknown', 'dependency_cycle'],
    answer: TaskView,
    status: 201,
    idempotent: true,
  },
  submitBatch: {
    method: 'POST',
    path: '/tasks/batch',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Submit several tasks that may depend on each other',
    body: SubmitBatch,
    refuses: ['id_taken', 'dependency_unknown', 'dependency_cycle'],
    answer: BatchView,
    status: 201,
    idempotent: true,
    partial: true,
  },
  submitPlan: {
    method: 'POST',
    path: '/plans',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Have a goal planned: the manager proposes tasks, code checks them, nothing is made yet',
    body: PlanBody,
    refuses: ['id_taken', 'dependency_unknown', 'dependency_cycle'],
    answer: PlanView,
    status: 201,
    idempotent: true,
  },
  getPlan: {
    method: 'GET',
    path: '/plans/{id}',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'One plan, with the tasks that it proposes or has made',
    answer: PlanView,
  },
  approvePlan: {
    method: 'POST',
    path: '/plans/{id}/approve',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Say yes to what is proposed: its tasks are made',
    body: PlanWordBody,
    refuses: ['conflict', 'base_unresolved', 'wrong_base'],
    answer: PlanView,
  },
  rejectPlan: {
    method: 'POST',
    path: '/plans/{id}/reject',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Say no to what is proposed: it is planned again, with the reason',
    body: PlanWordBody,
    refuses: ['conflict', 'base_unresolved', 'wrong_base'],
    answer: PlanView,
  },
  listTasks: {
    method: 'GET',
    path: '/tasks',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'List tasks, oldest first',
    query: ListQuery,
    refuses: ['bad_cursor'],
    answer: TaskList,
  },
  getTask: {
    method: 'GET',
    path: '/tasks/{id}',
    function: 'api-read',
    callers: ['operator', 'agent', 'gates', 'deliver'],
    right: 'read',
    summary: 'One task',
    answer: TaskView,
  },
  listAttempts: {
    method: 'GET',
    path: '/tasks/{id}/attempts',
    function: 'api-read',
    callers: ['operator', 'agent'],
    right: 'read',
    summary: 'The chain: all attempts of a task with models, costs and reasons',
    answer: AttemptList,
  },
  nextTask: {
    method: 'GET',
    path: '/tasks/next/{role}',
    function: 'api-work',
    callers: ['operator'],
    right: 'work',
    summary: 'Claim the next external task of a role: priority first, then oldest',
    refuses: ['no_task', 'stale_lease'],
    answer: Claim,
    claims: true,
  },
  claimNext: {
    method: 'POST',
    path: '/tasks/next/{role}',
    function: 'api-work',
    callers: ['operator'],
    right: 'work',
    summary: 'Claim the next external task of a role, and say which model will do it',
    body: ClaimBody,
    refuses: ['no_task', 'stale_lease'],
    answer: Claim,
    claims: true,
  },
  claimTask: {
    method: 'POST',
    path: '/tasks/{id}/claim',
    function: 'api-work',
    callers: ['operator'],
    right: 'work',
    summary: 'Claim one external task',
    body: ClaimBody,
    refuses: ['conflict', 'stale_lease', 'base_unresolved', 'files_held'],
    answer: Claim,
    claims: true,
    ifMatch: true,
  },
  heartbeat: {
    method: 'POST',
    path: '/tasks/{id}/heartbeat',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Extend the lease',
    body: HeartbeatBody,
    refuses: ['conflict'],
    answer: Lease,
  },
  progress: {
    method: 'POST',
    path: '/tasks/{id}/progress',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Say what the agent is doing; extends the lease',
    body: ProgressBody,
    refuses: ['conflict'],
    answer: Lease,
  },
  upload: {
    method: 'POST',
    path: '/tasks/{id}/artifact',
    function: 'api-upload',
    callers: ['agent', 'gates'],
    summary: 'Get leave to upload exactly these bytes, once',
    body: UploadBody,
    refuses: ['conflict'],
    answer: Upload,
  },
  memory: {
    method: 'POST',
    path: '/tasks/{id}/memory',
    function: 'api-upload',
    callers: ['gates'],
    summary: 'Get presigned URLs of what gates keep between tasks of a repository',
    body: MemoryBody,
    answer: MemoryPlace,
  },
  complete: {
    method: 'POST',
    path: '/tasks/{id}/complete',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Hand in the work; verification follows',
    body: CompleteBody,
    refuses: ['conflict', 'base_unresolved', 'wrong_base'],
    answer: TaskView,
    report: true,
  },
  fail: {
    method: 'POST',
    path: '/tasks/{id}/fail',
    function: 'api-work',
    callers: ['operator', 'agent'],
    right: 'submit',
    summary: 'Report that the attempt failed',
    body: FailBody,
    refuses: ['conflict', 'base_unresolved', 'wrong_base'],
    answer: TaskView,
    ifMatch: true,
    report: true,
  },
  release: {
    method: 'POST',
    path: '/tasks/{id}/release',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Hand an external task back undone; others may claim it at once',
    body: ReasonBody,
    refuses: ['conflict'],
    answer: TaskView,
  },
  evidence: {
    method: 'POST',
    path: '/tasks/{id}/evidence',
    function: 'api-evidence',
    callers: ['gates'],
    summary: 'Hand in the evidence',
    body: EvidenceBody,
    refuses: ['conflict', 'base_unresolved', 'wrong_base'],
    answer: TaskView,
    report: true,
  },
  delivery: {
    method: 'POST',
    path: '/tasks/{id}/delivery',
    function: 'api-work',
    callers: ['deliver'],
    summary: 'Ask leave to push, and report the push',
    body: DeliveryBody,
    refuses: ['conflict', 'base_unresolved', 'wrong_base'],
    answer: TaskView,
    report: true,
  },
  cancel: {
    method: 'POST',
    path: '/tasks/{id}/cancel',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Withdraw a task',
    body: ReasonBody,
    refuses: ['conflict'],
    answer: TaskView,
    ifMatch: true,
  },
  retry: {
    method: 'POST',
    path: '/tasks/{id}/retry',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Give a failed task another round of attempts',
    body: ReasonBody,
    refuses: ['conflict'],
    answer: TaskView,
    ifMatch: true,
  },
  review: {
    method: 'POST',
    path: '/tasks/{id}/review',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: "A person's word on a held task",
    body: ReviewBody,
    refuses: ['conflict', 'base_unresolved', 'wrong_base'],
    answer: TaskView,
    ifMatch: true,
  },
  verify: {
    method: 'POST',
    path: '/tasks/{id}/verify',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Have the verdict on a held task made again, on the same evidence: judges are asked anew',
    body: ReasonBody,
    refuses: ['conflict'],
    answer: TaskView,
    ifMatch: true,
  },
  listReviews: {
    method: 'GET',
    path: '/reviews',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'What waits for a person: why, since when, and what happens when nobody decides',
    query: ReviewsQuery,
    refuses: ['bad_cursor'],
    answer: ReviewList,
  },
  status: {
    method: 'GET',
    path: '/status',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'Counts by status and role, and the verification nudge',
    answer: StatusView,
  },
  cascade: {
    method: 'GET',
    path: '/cascade',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'What is believed of the models, from how many observations, and what people have said on it',
    query: CascadeQuery,
    answer: CascadeView,
  },
  pinTier: {
    method: 'POST',
    path: '/cascade/{role}/pin',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Have one tier try first for a role, or lift that',
    body: PinBody,
    answer: CascadeView,
  },
  resetLearned: {
    method: 'POST',
    path: '/cascade/{role}/reset',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Forget what was learned of a tier for a role, or of all tiers',
    body: ResetBody,
    answer: CascadeView,
  },
  quality: {
    method: 'GET',
    path: '/quality',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'How tasks, models and gates fare: success, times, pass rates',
    answer: QualityView,
  },
  qualityModels: {
    method: 'GET',
    path: '/quality/models',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'The models of the last 30 days',
    answer: QualityModels,
  },
  qualityTrend: {
    method: 'GET',
    path: '/quality/trend',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'Tasks, cost and gates by day or week',
    query: TrendQuery,
    answer: QualityTrend,
  },
  health: {
    method: 'GET',
    path: '/health',
    function: 'api-read',
    callers: ['anyone'],
    summary: 'Is the API up',
    answer: Health,
  },
} as const satisfies Record<string, Route>;

/** Whether a route takes an `Idempotency-Key`: what creates something or hands something out. */
export const takesKey = (route: Pick<Route, 'idempotent' | 'claims'>): boolean =>
  route.idempotent === true || route.claims === true;

export type RouteName = keyof typeof ROUTES;
export const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];
/** The routes that one function serves. */
export type RouteOf<F extends ApiFunction> = {
  [N in RouteName]: (typeof ROUTES)[N]['function'] extends F ? N : never;
}[RouteName];

/** The path parameters of a route, by name. */
export type PathParameters<P extends string> = P extends `${string}{${infer K}}${infer Rest}`
  ? { readonly [Key in K]: string } & PathParameters<Rest>
  : unknown;

/** `POST /tasks/{id}/claim`: API Gateway's route key. */
export const routeKey = (route: Pick<Route, 'method' | 'path'>): string => `${route.method} ${route.path}`;
