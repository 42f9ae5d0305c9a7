import { type ModelApiProtocol, PROVIDER_OF_PROTOCOL } from '../../shared/contract/models/protocols.ts';

/** Why the gateway itself answers. */
export type GatewayRefusalReason =
  | 'ended'
  | 'spent'
  | 'model'
  | 'provider'
  | 'request'
  | 'too_large'
  | 'path'
  | 'method'
  | 'unreachable'
  | 'timeout'
  | 'failing';

interface ProtocolErrors {
  readonly status: number;
  readonly anthropic: string;
  readonly openai: string;
  readonly google: string;
}

/**
 * What makes the clients end at once instead of trying again. An attempt that is over gets 403 and never 401: Claude Code takes a 401 for
 * "not logged in" and tries ten times.
 */
const PROTOCOL_ERRORS: Readonly<Record<GatewayRefusalReason, ProtocolErrors>> = {
  ended: {
    status: 403,
    anthropic: 'permission_error',
    openai: 'permission_denied',
    google: 'PERMISSION_DENIED',
  },
  spent: {
    status: 402,
    anthropic: 'billing_error',
    openai: 'insufficient_quota',
    google: 'FAILED_PRECONDITION',
  },
  model: { status: 404, anthropic: 'not_found_error', openai: 'model_not_found', google: 'NOT_FOUND' },
  provider: {
    status: 403,
    anthropic: 'permission_error',
    openai: 'permission_denied',
    google: 'PERMISSION_DENIED',
  },
  request: {
    status: 400,
    anthropic: 'invalid_request_error',
    openai: 'invalid_request',
    google: 'INVALID_ARGUMENT',
  },
  too_large: {
    status: 413,
    anthropic: 'request_too_large',
    openai: 'request_too_large',
    google: 'INVALID_ARGUMENT',
  },
  path: { status: 404, anthropic: 'not_found_error', openai: 'not_found', google: 'NOT_FOUND' },
  method: {
    status: 405,
    anthropic: 'invalid_request_error',
    openai: 'invalid_request',
    google: 'INVALID_ARGUMENT',
  },
  unreachable: { status: 502, anthropic: 'api_error', openai: 'server_error', google: 'UNAVAILABLE' },
  // No client takes this for a matter of keys or of waiting; what it is, the gateway has written down.
  failing: {
    status: 400,
    anthropic: 'invalid_request_error',
    openai: 'invalid_request',
    google: 'FAILED_PRECONDITION',
  },
  timeout: { status: 504, anthropic: 'api_error', openai: 'server_error', google: 'DEADLINE_EXCEEDED' },
};
const MAY_BE_TRIED_AGAIN: readonly GatewayRefusalReason[] = ['unreachable', 'timeout'];

export interface ModelGatewayResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The gateway's own answer in the words of the protocol; of Anthropic's where the path belongs to none. */
export function createGatewayRefusalResponse(
  protocol: ModelApiProtocol | null,
  why: GatewayRefusalReason,
  message: string,
): ModelGatewayResponse {
  const words = PROTOCOL_ERRORS[why];
  const provider = PROVIDER_OF_PROTOCOL[protocol ?? 'anthropic'];
  // Codex tries a 402 again five times, but this one never.
  const statusCode = why === 'spent' && provider === 'openai' ? 429 : words.status;
  const said = `assay: ${message}`;
  const bodies = {
    anthropic: { type: 'error', error: { type: words.anthropic, message: said } },
    openai: {
      error: {
        message: said,
        type: why === 'spent' ? words.openai : words.anthropic,
        param: null,
        code: words.openai,
      },
    },
    gemini: { error: { code: statusCode, message: said, status: words.google } },
  };
  return {
    statusCode,
    headers: {
      'content-type': 'application/json',
      // Anthropic's and OpenAI's SDKs obey it.
      ...(!MAY_BE_TRIED_AGAIN.includes(why) && { 'x-should-retry': 'false' }),
    },
    body: JSON.stringify(bodies[provider]),
  };
}
