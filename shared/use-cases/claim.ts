import { Refusal } from '../refusal.ts';
import type { LockStore } from '../store/locks.ts';
import type { TaskStore } from '../store/tasks.ts';
import { boundBase } from '../task/commands/base.ts';
import { startAttempt } from '../task/commands/claim.ts';
import { describeOverlap } from '../task/file-overlap.ts';
import type { Task } from '../task/task.ts';
import { mintBoxToken, sha256 } from '../tokens.ts';

/** Candidates looked at in one page of the queue. */
const PAGE = 25;

export interface ClaimContext {
  readonly tasks: TaskStore;
  readonly locks: LockStore;
  readonly now: Date;
  readonly by: string;
  readonly leaseSeconds: number;
}

export interface Claimed {
  readonly task: Task;
  readonly attempt: number;
  readonly token: string;
}

/** Claims one task for an outside agent: takes its files, then the task, each by one conditional write. */
export async function claimTask(
  id: string,
  model: string | null,
  context: ClaimContext,
  ifMatch?: number,
): Promise<Claimed> {
  const seen = await context.tasks.require(id);
  if (seen.runner !== 'external')
    throw new Refusal(
      'conflict',
      `task ${id} is managed: the platform runs it; submit it with runner "external" to claim it`,
    );
  if (seen.status !== 'open')
    throw new Refusal('conflict', `task ${id} is ${seen.status}; only an open task can be claimed`);
  if (ifMatch !== undefined && seen.version !== ifMatch)
    throw new Refusal('version_mismatch', `task ${id} is at version ${seen.version}, not ${ifMatch}`);
  boundBase(seen);
  const conflict = await context.locks.acquire(seen, context.now);
  if (conflict !== null)
    throw new Refusal('files_held', `${describeOverlap(conflict)} by task ${conflict.holder}`);
  let claimed: { attempt: number; token: string } | null = null;
  const task = await context.tasks.change(
    seen,
    (present) => {
      if (present.status !== 'open')
        throw new Refusal('conflict', `task ${id} is ${present.status}; only an open task can be claimed`);
      const attempt = (present.attempts.at(-1)?.number ?? 0) + 1;
      const token = mintBoxToken('agent', id, attempt);
      claimed = { attempt, token };
      return startAttempt(present, {
        model,
        tier: null,
        effort: present.effort ?? 'high',
        holder: context.by,
        leaseSeconds: context.leaseSeconds,
        now: context.now,
        agent: {
          number: 1,
          token_sha256: sha256(token),
          assignment_key: '',
          task_token: null,
          lost: false,
          launched_at: context.now.toISOString(),
        },
      });
    },
    ifMatch,
  );
  if (claimed === null) throw new Refusal('busy', `task ${id} could not be claimed; try again`);
  return { task, ...(claimed as { attempt: number; token: string }) };
}

const lostRace = (error: unknown): boolean =>
  error instanceof Refusal &&
  ['conflict', 'base_unresolved', 'files_held', 'not_found', 'busy'].includes(error.code);

/**
 * Tries candidates in order until one is won. After a lost race it leaps ahead, farther with each loss, so that many claimers spread out
 * instead of racing for every task in turn; what was leaped over is tried last.
 */
async function tryInOrder(ids: readonly string[], context: ClaimContext): Promise<Claimed | null> {
  const skipped: string[] = [];
  let losses = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index];
    if (id === undefined) break;
    try {
      return await claimTask(id, null, context);
    } catch (error) {
      if (!lostRace(error)) throw error;
      const leap = Math.floor(Math.random() * (losses + 1));
      skipped.push(...ids.slice(index + 1, index + 1 + leap));
      index += leap;
      losses++;
    }
  }
  return skipped.length === 0 ? null : tryInOrder(skipped, context);
}

/** Claims the best open external task of a role: priority first, then oldest. Refuses with `no_task` when there is none. */
export async function claimNext(role: string, context: ClaimContext): Promise<Claimed> {
  let after: Record<string, unknown> | undefined;
  do {
    const page = await context.tasks.claimable(role, PAGE, after);
    const claimed = await tryInOrder(page.ids, context);
    if (claimed) return claimed;
    after = page.after;
  } while (after);
  throw new Refusal('no_task', `there is no claimable task for role ${role}`);
}
