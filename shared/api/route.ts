import type * as z from 'zod';
import type { OperatorRight } from '../contract/access/rights.ts';
import type { RefusalCode } from '../contract/refusal.ts';

/** Who may call: nobody in particular, an operator's token, or the token of one box of one attempt. */
export const API_CALLERS = ['anyone', 'operator', 'agent', 'gates', 'challenger', 'deliver'] as const;
export type ApiCaller = (typeof API_CALLERS)[number];

/**
 * Which function serves a route. Reads hold no write permission; who signs uploads cannot write tasks, and who writes evidence does
 * nothing else.
 */
export const API_FUNCTION_NAMES = [
  'api-submit',
  'api-work',
  'api-upload',
  'api-evidence',
  'api-read',
  'api-webhook',
] as const;
export type ApiFunctionName = (typeof API_FUNCTION_NAMES)[number];

export interface RouteDefinition {
  readonly method: 'GET' | 'POST';
  /** In API Gateway's form: `{id}` for a path parameter. */
  readonly path: string;
  readonly function: ApiFunctionName;
  readonly callers: readonly ApiCaller[];
  /** What an operator's token must be good for. */
  readonly right?: OperatorRight;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** Status of success; default 200. */
  readonly status?: number;
  /** The last word of a box, which it may repeat: its token is good for nothing else afterwards. */
  readonly isFinalReport?: boolean;
  /** Makes tasks, and takes an `Idempotency-Key` header. */
  readonly isIdempotent?: boolean;
  /** Claims a task, and takes an `Idempotency-Key` header: a claim whose answer was lost is made again. */
  readonly isClaim?: boolean;
  /** What its use case refuses, beside what every route of its shape does; see `problemsOf`. */
  readonly refusalCodes?: readonly RefusalCode[];
  /** Its caller is known by a signature over the body's very bytes, which its use case looks at. */
  readonly isSigned?: boolean;
  /** May do a part only, and says so with 207. */
  readonly canBePartial?: boolean;
  /** Its answer is about all repositories: refused to a token that is for some of them. */
  readonly isDeploymentWide?: true;
  /** Takes an `If-Match` header with the task's version. */
  readonly takesIfMatch?: boolean;
}
