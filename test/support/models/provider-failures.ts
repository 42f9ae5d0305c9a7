import type { IncomingHttpHeaders } from 'node:http';
import { BEDROCK_BETAS } from '../../../shared/contract/models/bedrock-models.ts';
import type { ProviderFailure } from './model-protocol.ts';
import { parseScenario, type Scenario } from './scenario.ts';

type Words = readonly [status: number, message: string, anthropic: string, openai: string, google: string];

/** Errors in the words of each provider. */
const FAILURES: Readonly<Record<string, Words>> = {
  401: [401, 'invalid x-api-key', 'authentication_error', 'invalid_api_key', 'UNAUTHENTICATED'],
  402: [402, 'Payment required', 'billing_error', 'insufficient_quota', 'FAILED_PRECONDITION'],
  403: [
    403,
    'Your key does not have permission',
    'permission_error',
    'permission_denied',
    'PERMISSION_DENIED',
  ],
  404: [404, 'model: no-such-model', 'not_found_error', 'model_not_found', 'NOT_FOUND'],
  429: [
    429,
    'This request would exceed your rate limit',
    'rate_limit_error',
    'rate_limit_exceeded',
    'RESOURCE_EXHAUSTED',
  ],
  quota: [
    429,
    'You exceeded your current quota',
    'rate_limit_error',
    'insufficient_quota',
    'RESOURCE_EXHAUSTED',
  ],
  500: [500, 'Internal server error', 'api_error', 'server_error', 'INTERNAL'],
  503: [
    503,
    'The model is overloaded. Please try again later.',
    'overloaded_error',
    'server_error',
    'UNAVAILABLE',
  ],
  529: [529, 'Overloaded', 'overloaded_error', 'server_error', 'UNAVAILABLE'],
  blind: [
    400,
    'this model does not support image input',
    'invalid_request_error',
    'unsupported_content',
    'INVALID_ARGUMENT',
  ],
  beta: [400, 'invalid beta flag', 'invalid_request_error', 'invalid_request', 'INVALID_ARGUMENT'],
  context: [
    400,
    'prompt is too long: 208310 tokens > 200000 maximum',
    'invalid_request_error',
    'context_length_exceeded',
    'INVALID_ARGUMENT',
  ],
};

/** The error that a scenario answers with; null when it does not fail that way. */
export function findProviderFailure({ name, retryAfterSeconds }: Scenario): ProviderFailure | null {
  const words = FAILURES[name];
  if (!words) return null;
  const [status, message, anthropic, openai, google] = words;
  return {
    status,
    message,
    anthropic,
    openai,
    google,
    after: retryAfterSeconds ?? (status === 429 ? 1 : null),
  };
}

/** Returns the failure of a call that is signed for Bedrock and asks for a beta feature that Bedrock does not know. */
export function findUnknownBeta(headers: IncomingHttpHeaders): ProviderFailure | null {
  if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256')) return null;
  const asked = String(headers['anthropic-beta'] ?? '')
    .split(',')
    .filter(Boolean);
  return asked.every((each) => BEDROCK_BETAS.includes(each.trim()))
    ? null
    : findProviderFailure(parseScenario('beta'));
}
