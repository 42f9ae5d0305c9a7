import * as z from 'zod';

/** Why something is refused. What a caller over HTTP sees of each stands in api/problem.ts. */
export type RefusalCode =
  | 'body_not_json'
  | 'bad_cursor'
  | 'unauthenticated'
  | 'bad_signature'
  | 'forbidden'
  | 'self_review'
  | 'not_found'
  | 'method_not_allowed'
  | 'no_task'
  | 'conflict'
  | 'stale_lease'
  | 'base_unresolved'
  | 'wrong_base'
  | 'files_locked'
  | 'id_taken'
  | 'version_mismatch'
  | 'body_too_large'
  | 'invalid'
  | 'idempotency_mismatch'
  | 'dependency_unknown'
  | 'dependency_cycle'
  | 'busy'
  | 'internal';

/** One refused field; `pointer` is a JSON Pointer into the body, or `?name` for a query parameter and `{name}` for a path parameter. */
export const FieldError = z.object({ pointer: z.string(), message: z.string() });
export type FieldError = z.infer<typeof FieldError>;

/** A refusal that the caller may see. Everything else that is thrown becomes `internal` without detail. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly errors: readonly FieldError[];

  constructor(code: RefusalCode, detail: string, errors: readonly FieldError[] = []) {
    super(detail);
    this.name = 'Refusal';
    this.code = code;
    this.errors = errors;
  }
}

/** A JSON Pointer (RFC 6901) of a zod issue path. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
