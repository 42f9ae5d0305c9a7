import * as z from 'zod';
import { FieldError, jsonPointer, Refusal, type RefusalCode } from '../contract/refusal.ts';

/** `code` of the problem document of each refusal, with its HTTP status and title. */
export const API_REFUSALS = {
  body_not_json: { status: 400, title: 'The body is not JSON' },
  bad_cursor: { status: 400, title: 'The cursor is not one that this listing gave out' },
  unauthenticated: { status: 401, title: 'A valid bearer token is needed' },
  bad_signature: { status: 401, title: 'The event was not sent with the secret of its webhook' },
  forbidden: { status: 403, title: 'This token may not do that' },
  self_review: { status: 403, title: 'Nobody judges their own work' },
  not_found: { status: 404, title: 'No such thing' },
  method_not_allowed: { status: 405, title: 'This path takes other methods' },
  no_task: { status: 404, title: 'No claimable task' },
  conflict: { status: 409, title: 'Things stand in a way that does not allow this' },
  stale_lease: { status: 409, title: 'The lease of this attempt has ended' },
  base_unresolved: { status: 503, title: 'The base ref of the task is still being resolved' },
  wrong_base: { status: 409, title: 'The task is bound to another base commit' },
  files_locked: { status: 409, title: 'A live task holds the same files' },
  id_taken: { status: 409, title: 'The id belongs to a different task' },
  version_mismatch: { status: 412, title: 'The task has changed since' },
  body_too_large: { status: 413, title: 'The body is over 1 MiB' },
  invalid: { status: 422, title: 'The request has invalid fields' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key was used with a different request' },
  dependency_unknown: { status: 422, title: 'A dependency does not exist' },
  dependency_cycle: { status: 422, title: 'The dependencies form a cycle' },
  busy: { status: 503, title: 'Too much contention; try again' },
  internal: { status: 500, title: 'Something broke on our side' },
} as const satisfies Record<RefusalCode, { readonly status: number; readonly title: string }>;

/** RFC 9457 problem details with a stable `code`. */
export const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    instance: z.string().optional(),
    request_id: z.string().optional(),
    errors: z.array(FieldError).optional(),
  })
  .meta({ id: 'Problem' });
export type ProblemDetails = z.infer<typeof ProblemDetails>;

/** Field errors that are told at the most: who gets so many sends something else than we expect. */
export const MAX_FIELD_ERRORS = 20;
/** Longest pointer and longest message, in characters: both may quote what was sent. */
const MAX_WORDS = 200;
/** Longest detail, in characters. */
const MAX_DETAIL = 1_000;

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;

/** What a refusal says, short enough for a problem document: at the very most 64 KiB, whatever was sent. */
export function truncateProblemDetail(
  detail: string,
  errors: readonly FieldError[],
): Pick<ProblemDetails, 'detail' | 'errors'> {
  const told = errors.slice(0, MAX_FIELD_ERRORS).map((error) => ({
    pointer: cut(error.pointer, MAX_WORDS),
    message: cut(error.message, MAX_WORDS),
  }));
  const more = errors.length - told.length;
  const rest = more > 0 ? `; ${told.length} of ${errors.length} refused fields are named` : '';
  return {
    detail: `${cut(detail, MAX_DETAIL)}${rest}`,
    ...(told.length > 0 ? { errors: told } : {}),
  };
}

/** Turns zod issues into field errors; unknown keys are named one by one. */
export function fieldErrors(error: z.ZodError, prefix: readonly PropertyKey[] = []): FieldError[] {
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        pointer: jsonPointer([...path, key]),
        message: 'is not a known field',
      }));
    return [{ pointer: jsonPointer(path), message: issue.message }];
  });
}

/** The refusal of fields; its detail names the first of them. */
export const createInvalidFieldsRefusal = (
  errors: readonly FieldError[],
  code: RefusalCode = 'invalid',
): Refusal =>
  new Refusal(
    code,
    errors
      .slice(0, MAX_FIELD_ERRORS)
      .map((each) => `${each.pointer || '/'} ${each.message}`)
      .join('; '),
    errors,
  );

/** Parses `input` or throws a Refusal `invalid` that names every refused field. */
export function parseOrRefuse<T extends z.ZodType>(
  schema: T,
  input: unknown,
  prefix: readonly PropertyKey[] = [],
): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw createInvalidFieldsRefusal(fieldErrors(result.error, prefix));
}
