import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../lib/sha256.ts';
import type { LaunchKind } from '../launch-kind.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../resource-names.ts';
import type { OperatorRole } from './rights.ts';

/** 256 bits: nothing to guess, nothing to brute-force offline, so a plain hash is enough to store. */
const secret = (): string => randomBytes(32).toString('base64url');

export const mintOperatorToken = (): string => `assay_op_${secret()}`;

/** Key of the item that says whose token this is. */
export const buildOperatorTokenItemKey = (token: string): Record<string, string> => ({
  [TASKS_TABLE_KEY_ATTRIBUTES.pk]: `${TABLE_ITEM_KEY_PREFIXES.token}${sha256(token)}`,
  [TASKS_TABLE_KEY_ATTRIBUTES.sk]: 'token',
});

/** The item of an operator token. Only its hash is stored: the token is shown once. */
export const operatorTokenItem = (
  token: string,
  name: string,
  role: OperatorRole,
): Record<string, string> => ({
  ...buildOperatorTokenItemKey(token),
  name,
  role,
  created_at: new Date().toISOString(),
});

/** A token for one box of one attempt; it says what it is for, so that the item to check it against can be found. */
export const mintLaunchToken = (kind: LaunchKind, taskId: string, attempt: number): string =>
  `assay_${kind}_${taskId}.${attempt}.${secret()}`;

/** Does the same as `mintLaunchToken`, but the same each time for the same secret and key: for a claim that is made again. `secret`: a token of 256 bits. */
export const deriveRepeatableLaunchToken = (
  kind: LaunchKind,
  taskId: string,
  attempt: number,
  secret: string,
  key: string,
): string => {
  const made = createHmac('sha256', secret).update(JSON.stringify([kind, taskId, attempt, key]));
  return `assay_${kind}_${taskId}.${attempt}.${made.digest('base64url')}`;
};

export type BearerTokenClaims =
  | { readonly caller: 'operator' }
  | { readonly caller: LaunchKind; readonly taskId: string; readonly attempt: number };

/** The token in an Authorization header, whatever it is; null when there is none. */
export const parseBearerToken = (authorization: string | undefined): string | null =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;

/** What a bearer token claims to be; null for anything that we never minted. */
export function parseBearerTokenClaims(token: string): BearerTokenClaims | null {
  if (/^assay_op_[\w-]{43}$/.test(token)) return { caller: 'operator' };
  const box = /^assay_(agent|gates|challenger|deliver)_([A-Za-z0-9][\w-]{0,63})\.(\d{1,4})\.[\w-]{43}$/.exec(
    token,
  );
  return box?.[1] && box[2]
    ? { caller: box[1] as LaunchKind, taskId: box[2], attempt: Number(box[3]) }
    : null;
}

/** Whether a token has the form of a JSON Web Token. */
export const isJsonWebToken = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);

/** Compares two hex hashes in constant time. */
export const isSameHash = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

/** Boxes that may ask models. */
export type ModelCallingLaunchKind = Extract<LaunchKind, 'agent' | 'gates' | 'challenger'>;
const MODEL_TOKENS = { agent: 'model', gates: 'opinion', challenger: 'challenge' } as const satisfies Record<
  ModelCallingLaunchKind,
  string
>;

/** A token for the model calls of one box of one attempt. It is another than the box's own, and the API knows nothing of it. */
export const mintModelToken = (
  taskId: string,
  attempt: number,
  caller: ModelCallingLaunchKind = 'agent',
): string => `assay_${MODEL_TOKENS[caller]}_${taskId}.${attempt}.${secret()}`;

/** Whose model calls a token is for; null for anything that is no model token. */
export function parseModelToken(
  token: string,
): { readonly caller: ModelCallingLaunchKind; readonly taskId: string; readonly attempt: number } | null {
  const [, kind, taskId, attempt] =
    /^assay_(model|opinion|challenge)_([A-Za-z0-9][\w-]{0,63})\.(\d{1,4})\.[\w-]{43}$/.exec(token) ?? [];
  if (taskId === undefined) return null;
  const callers = Object.entries(MODEL_TOKENS) as [ModelCallingLaunchKind, string][];
  const caller = callers.find(([, name]) => name === kind)?.[0] ?? 'agent';
  return { caller, taskId, attempt: Number(attempt) };
}
