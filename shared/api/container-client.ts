import type * as z from 'zod';
import { HEARTBEATS_PER_LEASE } from '../contract/resource-names.ts';
import { sha256 } from '../lib/sha256.ts';
import { type HttpRetryOptions, requestWithRetries } from './http-client.ts';
import type { UploadKind, UploadUrlResponse } from './report-schemas.ts';
import type { ROUTES, RouteName } from './routes.ts';

/** The API's refusal of a request: an answer, not a failure to get one. */
export class ApiRefusalError extends Error {
  readonly status: number;
  /** The problem document's `code`, e.g. `stale_lease`. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiRefusalError';
    this.status = status;
    this.code = code;
  }
}

type BodyOf<Name extends RouteName> = (typeof ROUTES)[Name] extends { body: infer Body extends z.ZodType }
  ? z.input<Body>
  : undefined;
type AnswerOf<Name extends RouteName> = z.output<(typeof ROUTES)[Name]['response']>;

/** Routes under one task that a box posts to; the API makes each safe to send twice. */
type ContainerRoute =
  | 'heartbeat'
  | 'progress'
  | 'requestApproval'
  | 'upload'
  | 'memory'
  | 'complete'
  | 'fail'
  | 'evidence'
  | 'challenge'
  | 'delivery';

/**
 * Their paths, which the compiler compares with the route table. The table itself stays out of the boxes: with it would come every
 * schema of the API, and each costs time at every start.
 */
const PATHS = {
  heartbeat: '/tasks/{id}/heartbeat',
  progress: '/tasks/{id}/progress',
  requestApproval: '/tasks/{id}/approval-requests',
  upload: '/tasks/{id}/artifact',
  memory: '/tasks/{id}/memory',
  complete: '/tasks/{id}/complete',
  fail: '/tasks/{id}/fail',
  evidence: '/tasks/{id}/evidence',
  challenge: '/tasks/{id}/challenge',
  delivery: '/tasks/{id}/delivery',
} as const satisfies { [Name in ContainerRoute]: (typeof ROUTES)[Name]['path'] };

/**
 * What a box has worked for is handed in for so long, in milliseconds, and for its lease where that is longer: an API that is away for minutes
 * must not cost the work. One that has meanwhile given the attempt up says so, and that ends it.
 */
const PATIENCE_MS = 15 * 60_000;
const patienceOf = ({ heartbeat_s = 0 }: { readonly heartbeat_s?: number }): number =>
  Math.max(PATIENCE_MS, heartbeat_s * HEARTBEATS_PER_LEASE * 1_000);
/** The rest passes: a later beat says the same, and a memory that cannot be asked is none. */
const PERSISTENT_ROUTES: readonly ContainerRoute[] = [
  'requestApproval',
  'upload',
  'complete',
  'fail',
  'evidence',
  'challenge',
  'delivery',
];

export interface ContainerApiClient {
  /** @throws ApiRefusalError | HttpServiceUnreachableError */
  post<Name extends ContainerRoute>(
    route: Name,
    body: BodyOf<Name>,
    options?: HttpRetryOptions,
  ): Promise<AnswerOf<Name>>;
  /** Asks for a presigned URL and puts the bytes there. Answers their SHA-256, which they are found by. */
  upload(kind: UploadKind, bytes: Buffer): Promise<string>;
}

/** The API as a box sees it: one task, one token. */
export function createContainerApiClient(
  assignment: {
    readonly api_url: string;
    readonly token: string;
    readonly task_id: string;
    readonly heartbeat_s?: number;
  },
  patienceMs = patienceOf(assignment),
): ContainerApiClient {
  const post: ContainerApiClient['post'] = async (route, body, options) => {
    const path = PATHS[route].replace('{id}', assignment.task_id);
    const answer = await requestWithRetries(
      `${assignment.api_url}${path}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${assignment.token}`, 'content-type': 'application/json' },
        body: wellFormedJson(body),
      },
      { ...(PERSISTENT_ROUTES.includes(route) && { retryForMs: patienceMs }), ...options },
    );
    const parsed = parseJson(answer.body);
    if (answer.status >= 200 && answer.status < 300) return parsed as AnswerOf<typeof route>;
    const problem = (parsed ?? {}) as { code?: unknown; detail?: unknown };
    throw new ApiRefusalError(
      answer.status,
      String(problem.code ?? 'unknown'),
      `${route} was refused with ${answer.status}: ${String(problem.detail ?? answer.body.toString('utf8').slice(0, 500))}`,
    );
  };
  return {
    post,
    upload: async (kind, bytes) => {
      const digest = sha256(bytes);
      const { url, headers }: z.output<typeof UploadUrlResponse> = await post('upload', {
        kind,
        sha256: digest,
        bytes: bytes.length,
      });
      const put = await requestWithRetries(
        url,
        { method: 'PUT', headers, body: bytes },
        { timeoutMs: 120_000, retryForMs: patienceMs },
      );
      // 412: an earlier try has brought it. There is nothing else that could lie under its digest.
      if (put.status >= 300 && put.status !== 412)
        throw new ApiRefusalError(put.status, 'upload', `upload of ${kind}: HTTP ${put.status}`);
      return digest;
    },
  };
}

/**
 * Text that was cut in the middle of a pair of surrogates, is the name of a file in no encoding, or what a program printed with a NUL
 * in it, would be refused as a whole.
 */
const wellFormedJson = (body: unknown): string =>
  JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
  );

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
