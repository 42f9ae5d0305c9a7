import * as z from 'zod';

/**
 * Seconds for which API Gateway keeps what the authorizer has said of a token. So long a revoked token may still open the API. All
 * else about a token is looked at with each request: the end that it was made with, and whether a box still has its attempt.
 */
export const AUTHORIZER_CACHE_SECONDS = 60;

/** What API Gateway says when it answers by itself: of a request without a token (401), of one whose token is not known (403). */
export const GatewayErrorResponse = z.object({ message: z.string() }).meta({ id: 'GatewayErrorResponse' });

/** Statuses of such answers on routes that need a token, and what each means. */
export const GATEWAY_ERRORS = {
  401: 'No token was sent',
  403: 'The token is not known here, is over, or was revoked',
} as const;
