import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameSecret, type LoopbackAccessRule } from '../shared/lib/loopback-listener.ts';

/**
 * The AWS credentials of one data directory: random, so that only processes which can read the directory can call the engines. The
 * access key id is a secret here: the engines compare it, and S3 verifies whole signatures.
 */
export interface EngineCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export const createEngineCredentials = (): EngineCredentials => ({
  accessKeyId: `LOCAL${randomBytes(20).toString('hex').toUpperCase()}`,
  secretAccessKey: randomBytes(32).toString('base64url'),
});

/** Reads stored credentials. Returns null if the text has none. */
export function parseEngineCredentials(text: string | null): EngineCredentials | null {
  const [, accessKeyId, secretAccessKey] = /^(LOCAL[0-9A-F]{40}) ([\w-]{43})$/.exec(text ?? '') ?? [];
  return accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey };
}

/** Returns the access key id of a signed request, or the bearer token of a request to the control endpoint. */
const givenKey = ({ headers }: IncomingMessage): string =>
  /^(?:AWS4-HMAC-SHA256 +Credential=([^/, ]+)\/|Bearer (\S+)$)/
    .exec(headers.authorization ?? '')
    ?.slice(1)
    .find((key) => key !== undefined) ?? '';

export const hasAccessKey = (request: IncomingMessage, { accessKeyId }: EngineCredentials): boolean =>
  isSameSecret(givenKey(request), accessKeyId);

/** The rule of the engines: clients that have the access key, and no browser. */
export const createEngineAccessRule = (credentials: EngineCredentials): LoopbackAccessRule => ({
  servesPages: false,
  isAuthenticated: (request) => hasAccessKey(request, credentials),
});
