import { randomBytes } from 'node:crypto';
import { ServiceError } from '../service-error.ts';
import { payload } from './interpreter/payload.ts';
import type { Callback, Callbacks } from './interpreter/scope.ts';

/** Form of the tokens that are made here; anything else cannot have come from an execution. */
const TOKEN = /^AQ[A-Za-z0-9_-]{64}$/;

export interface TokenRegistry extends Callbacks {
  /** Answers of the API. Each throws `InvalidToken` or, for a task that no longer waits, `TaskTimedOut`. */
  succeed(token: unknown, output: unknown): void;
  fail(token: unknown, error: string, cause: string): void;
  heartbeat(token: unknown): void;
}

/** The task tokens of this process; those of an earlier one are well-formed, and their tasks no longer exist. */
export function createTokens(): TokenRegistry {
  const waiting = new Map<string, Callback>();
  const find = (token: unknown): Callback => {
    if (typeof token !== 'string' || !TOKEN.test(token)) {
      throw new ServiceError('InvalidToken', "Invalid Token: 'Invalid token'");
    }
    const callback = waiting.get(token);
    if (!callback) {
      throw new ServiceError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
    }
    return callback;
  };
  return {
    create: () => `AQ${randomBytes(48).toString('base64url')}`,
    wait(token, callback) {
      waiting.set(token, callback);
      return () => waiting.delete(token);
    },
    succeed: (token, output) => find(token).succeed(parseOutput(output)),
    fail: (token, error, cause) => find(token).fail(error, cause),
    heartbeat: (token) => find(token).heartbeat(),
  };
}

function parseOutput(output: unknown): unknown {
  try {
    return payload(JSON.parse(String(output)), 'output');
  } catch (error) {
    throw new ServiceError(
      'InvalidOutput',
      `Invalid Output: '${error instanceof Error ? error.message : error}'`,
    );
  }
}
