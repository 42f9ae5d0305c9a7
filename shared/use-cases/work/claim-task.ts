import { randomUUID } from 'node:crypto';
import { isSameHash, mintOperatorToken } from '../../contract/access/tokens.ts';
import { Refusal } from '../../contract/refusal.ts';
import { describeFileOverlap } from '../../contract/submission/file-overlap.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { routeTask } from '../../control/routing/route-task.ts';
import { requireBaseCommit } from '../../control/task-commands/base-commit.ts';
import { startAttempt } from '../../control/task-commands/start-attempt.ts';
import { requireTaskVersion } from '../../control/task-commands/task-change.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { ClaimIntentStore } from '../../store/claim-intents.ts';
import type { FileConflict, FileLockStore } from '../../store/file-locks.ts';
import type { TaskStore } from '../../store/task-store.ts';
import {
  type ClaimKey,
  createClaimKey,
  createIdempotentClaim,
  isClaimRaceRefusal,
} from './idempotent-claim.ts';

/** Candidates looked at in one page of the queue. */
const PAGE = 25;

export interface ClaimContext {
  readonly tasks: TaskStore;
  readonly locks: FileLockStore;
  readonly now: Date;
  readonly claimant: string;
  readonly leaseSeconds: number;
  /** Set when the claim may be repeated. */
  readonly idempotency?: { readonly key: ClaimKey; readonly store: ClaimIntentStore };
}

export interface ClaimedAttempt {
  readonly task: Task;
  readonly attempt: number;
  readonly token: string;
}

/** What `key` has claimed of this task, if that attempt still lives. @throws Refusal `stale_lease` when it is over. */
function claimedBefore(task: Task, key: ClaimKey): ClaimedAttempt | null {
  for (const attempt of task.attempts) {
    const token = key.tokenOf(task.id, attempt.number);
    if (attempt.agent === null || !isSameHash(attempt.agent.token_sha256, sha256(token))) continue;
    if (attempt.outcome === null && attempt === currentAttempt(task))
      return { task, attempt: attempt.number, token };
    throw new Refusal(
      'stale_lease',
      `attempt ${attempt.number} of task ${task.id}, which was claimed with this key, is over; claim with another key`,
    );
  }
  return null;
}

/** Says which file is held, and by which task. */
function filesHeld(task: Task, conflict: FileConflict): Refusal {
  const message = `${describeFileOverlap(conflict)} by task ${conflict.holder}`;
  const index = task.files.indexOf(conflict.wantedPath);
  return new Refusal('files_locked', message, [{ pointer: `/files/${index}`, message }]);
}

async function claimOpen(
  id: string,
  model: string | null,
  context: ClaimContext,
  key: ClaimKey,
  admit: (task: Task) => void = () => {},
): Promise<ClaimedAttempt> {
  const seen = await context.tasks.require(id);
  const before = claimedBefore(seen, key);
  if (before !== null) return before;
  if (seen.runner !== 'external')
    throw new Refusal(
      'conflict',
      `task ${id} is managed: the platform runs it; submit it with runner "external" to claim it`,
    );
  if (seen.status !== 'open')
    throw new Refusal('conflict', `task ${id} is ${seen.status}; only an open task can be claimed`);
  admit(seen);
  requireBaseCommit(seen);
  const conflict = await context.locks.acquire(seen, context.now);
  if (conflict !== null) throw filesHeld(seen, conflict);
  const { countFoundationDependents } = await import('../cascade/foundation-dependents.ts');
  const dependentCount = await countFoundationDependents(seen, context.tasks);
  // The version is compared above, with what is written upon; a write that arrived without an answer has moved it on by itself.
  const task = await context.tasks.applyCommand(seen, (present) => {
    if (claimedBefore(present, key) !== null) return null;
    admit(present);
    if (present.status !== 'open')
      throw new Refusal('conflict', `task ${id} is ${present.status}; only an open task can be claimed`);
    const attempt = (present.attempts.at(-1)?.number ?? 0) + 1;
    const planned = routeTask(present);
    return startAttempt(present, {
      model,
      tier: null,
      effort: planned.effort,
      route: {
        rule: planned.rule,
        reason: `${planned.reason}; ${model === null ? 'an outside agent chose and did not say what' : `an outside agent chose ${model}`}`,
      },
      leaseHolder: context.claimant,
      leaseSeconds: context.leaseSeconds,
      dependentCount,
      now: context.now,
      agentLaunch: {
        number: 1,
        token_sha256: sha256(key.tokenOf(id, attempt)),
        model_token_sha256: null,
        assignment_key: '',
        lost: false,
        launched_at: context.now.toISOString(),
      },
    });
  });
  const claimed = claimedBefore(task, key);
  if (claimed === null) throw new Refusal('busy', `task ${id} could not be claimed; try again`);
  return claimed;
}

/** Without a key of the caller's own, one that is good for this request: a write that was sent twice still knows itself again. */
const ownKey = (context: ClaimContext): ClaimKey =>
  context.idempotency?.key ?? createClaimKey(context.claimant, randomUUID(), mintOperatorToken(), null);

/** Claims one task for an outside agent: takes its files, then the task, each by one conditional write. */
export async function claimTask(
  id: string,
  model: string | null,
  context: ClaimContext,
  ifMatch?: number,
): Promise<ClaimedAttempt> {
  const key = ownKey(context);
  const claim = (task: string): Promise<ClaimedAttempt> =>
    claimOpen(task, model, context, key, (each) => requireTaskVersion(each, ifMatch));
  if (!context.idempotency) return claim(id);
  const once = createIdempotentClaim(key, context.idempotency.store, context.now, claim);
  return (await once.repeat()) ?? once.claim(id);
}

/**
 * Tries candidates in order until one is won. After a lost race it leaps ahead, farther with each loss, so that many claimers spread out
 * instead of racing for every task in turn; what was leaped over is tried last.
 */
async function tryInOrder(
  ids: readonly string[],
  claim: (id: string) => Promise<ClaimedAttempt>,
): Promise<ClaimedAttempt | null> {
  const skipped: string[] = [];
  let losses = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index];
    if (id === undefined) break;
    try {
      return await claim(id);
    } catch (error) {
      if (!isClaimRaceRefusal(error)) throw error;
      const leap = Math.floor(Math.random() * (losses + 1));
      skipped.push(...ids.slice(index + 1, index + 1 + leap));
      index += leap;
      losses++;
    }
  }
  return skipped.length === 0 ? null : tryInOrder(skipped, claim);
}

/** Claims the best open external task of a role: priority first, then oldest. Refuses with `no_task` when there is none. */
export async function claimNextOpenTask(
  role: string,
  context: ClaimContext,
  model: string | null = null,
): Promise<ClaimedAttempt> {
  const key = ownKey(context);
  const claim = (task: string): Promise<ClaimedAttempt> => claimOpen(task, model, context, key);
  const once =
    context.idempotency && createIdempotentClaim(key, context.idempotency.store, context.now, claim);
  const before = await once?.repeat();
  if (before) return before;
  let after: Record<string, unknown> | undefined;
  do {
    const page = await context.tasks.listClaimable(role, PAGE, after);
    const claimed = await tryInOrder(page.ids, once?.claim ?? claim);
    if (claimed) return claimed;
    after = page.after;
  } while (after);
  throw new Refusal('no_task', `there is no claimable task for role ${role}`);
}
