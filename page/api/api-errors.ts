/** Nobody answers, or somebody in between does: what was asked for may be had later. */
export class ApiUnavailableError extends Error {}

/** The token is not known, is over or was revoked: nothing is to be had with it any more. */
export class TokenExpiredError extends Error {
  constructor() {
    super('The token is not known here, is over, or was revoked.');
  }
}

/** The API has refused, and says why. */
export class ApiProblemError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

interface ProblemDocument {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly title?: unknown;
}

/** What an answer that is no success means. 401 and 403 without a problem document come from the gateway: of the token. */
export function errorFromResponse(status: number, body: unknown): Error {
  const { code, detail, title }: ProblemDocument = typeof body === 'object' && body !== null ? body : {};
  if (typeof code !== 'string') {
    if (status === 401 || status === 403) return new TokenExpiredError();
    return new ApiUnavailableError(
      status === 429 ? 'The API is asked too much at present.' : `The API answers ${status}.`,
    );
  }
  if (code === 'unauthenticated') return new TokenExpiredError();
  if (code === 'internal' || code === 'busy')
    return new ApiUnavailableError(`The API says: ${String(title ?? code)}.`);
  return new ApiProblemError(status, code, String(detail ?? title ?? code));
}
