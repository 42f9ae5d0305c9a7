import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameSecret, type LoopbackAccessRule } from '../shared/lib/loopback-listener.ts';
import { isSignedRequest } from './request-signature.ts';

/**
 * The AWS credentials of one data directory: random, so that only processes which can read the directory can call the engines. As on
 * AWS, the access key id is public: presigned URLs contain it. The secret key is in no URL, request or log.
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

const bearerToken = ({ headers }: IncomingMessage): string =>
  /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';

/** Whether a request proves that its sender has the secret key: by its signature, or with the key as a bearer token. */
export const hasSecretKey = (request: IncomingMessage, credentials: EngineCredentials): boolean => {
  const { method = '', url = '', headers } = request;
  return (
    isSignedRequest({ method, url, headers }, credentials) ||
    isSameSecret(bearerToken(request), credentials.secretAccessKey)
  );
};

/** The rule of the engines: clients that have the secret key, and no browser. */
export const createEngineAccessRule = (credentials: EngineCredentials): LoopbackAccessRule => ({
  servesPages: false,
  isAuthenticated: (request) => hasSecretKey(request, credentials),
});
