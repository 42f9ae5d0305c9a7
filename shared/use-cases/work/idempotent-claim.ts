import { deriveRepeatableLaunchToken } from '../../contract/access/tokens.ts';
import { Refusal, type RefusalCode } from '../../contract/refusal.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { ClaimIntent, ClaimIntentStore } from '../../store/claim-intents.ts';

/** A claim that may be repeated: the same key of the same operator gets the same attempt and the same token. */
export interface ClaimKey {
  /** Hash of operator and key: the name of what is remembered. */
  readonly id: string;
  /** Hash of the request. */
  readonly request: string;
  /** The token of an attempt that this key claims. It is made again for a repeat, and never stored. */
  tokenOf(task: string, attempt: number): string;
}

/**
 * The key of a claim. `secret` is the operator's own token: nobody else can make the tokens that are made from it, and whoever has it
 * could claim anyway.
 */
export const createClaimKey = (by: string, key: string, secret: string, request: unknown): ClaimKey => ({
  id: sha256(JSON.stringify([by, key])),
  request: canonicalHash(request),
  tokenOf: (task, attempt) => deriveRepeatableLaunchToken('agent', task, attempt, secret, key),
});

/** Why one task could not be claimed, while another may be. */
export const CLAIM_RACE_REFUSAL_CODES = [
  'conflict',
  'base_unresolved',
  'files_locked',
  'self_review',
  'not_found',
  'busy',
] as const satisfies readonly RefusalCode[];
export const isClaimRaceRefusal = (error: unknown): boolean =>
  error instanceof Refusal && CLAIM_RACE_REFUSAL_CODES.some((code) => code === error.code);

/**
 * Claims under a key. What is meant is written before each try, so that a repeat looks at the same task first; whose the task is, its
 * attempt says by the hash of the token. A crash between the two writes leaves an intent that the repeat carries out.
 */
export function createIdempotentClaim<Claimed>(
  key: ClaimKey,
  store: ClaimIntentStore,
  now: Date,
  claim: (task: string) => Promise<Claimed>,
) {
  let seen: ClaimIntent | null = null;
  const read = async (): Promise<ClaimIntent | null> => {
    seen = await store.get(key.id);
    if (seen !== null && seen.request !== key.request)
      throw new Refusal('idempotency_mismatch', 'the idempotency key was used for a different claim', [
        { pointer: 'header:idempotency-key', message: 'was used for a different claim' },
      ]);
    return seen;
  };
  return {
    /** What this key has claimed before, or claims now because it had meant to; null when that was in vain. */
    async repeat(): Promise<Claimed | null> {
      const before = await read();
      if (before === null) return null;
      try {
        return await claim(before.task);
      } catch (error) {
        if (isClaimRaceRefusal(error)) return null;
        throw error;
      }
    },
    /** Claims `task`, or what another request with the same key is after at this moment. */
    async claim(task: string): Promise<Claimed> {
      const next: ClaimIntent = { request: key.request, task, version: (seen?.version ?? 0) + 1 };
      if (await store.put(key.id, next, seen, now)) {
        seen = next;
        return claim(task);
      }
      return claim((await read())?.task ?? task);
    },
  };
}
