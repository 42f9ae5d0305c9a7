import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod';
import type { Claim } from '../../shared/api/report-schemas.ts';
import { isLoopback } from '../../shared/contract/repository/loopback.ts';
import { type Client, createClient } from '../client.ts';
import type { Connection } from '../connection.ts';
import { CliError, EXIT } from '../exit.ts';
import { assignmentOf, type Worker } from './assignment.ts';
import { type BoxOptions, runBox } from './box.ts';

type Claimed = z.infer<typeof Claim>;

/** What became of a task that this worker had. */
export interface Done {
  readonly task_id: string;
  readonly attempt: number;
  /** `reported`: the agent's work, or its failure, is in. `handed_back`: it is open again for others. */
  readonly outcome: 'reported' | 'handed_back';
  readonly status: string;
  readonly reason: string | null;
}

export interface WorkOptions extends Omit<Worker, 'apiUrl'>, Omit<BoxOptions, 'onLog'> {
  readonly role: string;
  /** Ends after so many tasks; 0: never. */
  readonly maxTasks: number;
  /** Ends when there is nothing to claim, instead of waiting. */
  readonly untilEmpty: boolean;
  readonly pollSeconds: number;
  readonly onClaim: (claim: Claimed) => void;
  readonly onDone: (done: Done) => void;
  readonly onLog: (line: string) => void;
}

/** Boxes that may break one after the other before the worker takes it for its own fault. */
const MAX_BROKEN = 3;

async function claimNext(client: Client, options: WorkOptions): Promise<Claimed | null> {
  const { role, model, abort } = options;
  try {
    return await client.claimNext({ role, body: model === undefined ? {} : { model } }, { signal: abort });
  } catch (error) {
    if (abort.aborted || (error instanceof CliError && error.code === 'no_task')) return null;
    throw error;
  }
}

/** Gives a task back that nothing was reported of. Where that is refused, the lease does it in its time. */
async function handBack(claim: Claimed, reason: string, connection: Connection): Promise<Done> {
  const agent = createClient({ ...connection, token: claim.token });
  const back = { task_id: claim.task.id, attempt: claim.attempt, outcome: 'handed_back', reason } as const;
  try {
    const { status } = await agent.release({ id: claim.task.id, body: { reason } });
    return { ...back, status };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...back, status: 'unknown', reason: `${reason}; ${error.message}` };
  }
}

async function doTask(claim: Claimed, client: Client, connection: Connection, options: WorkOptions) {
  const { id, repository } = claim.task;
  const back = (reason: string): Promise<Done> => handBack(claim, reason, connection);
  if (options.abort.aborted) return back('the worker was stopped');
  // Only a platform on this machine may have us read the machine's own files.
  if (repository.startsWith('file:') && !isLoopback(connection.url))
    return back('its repository is a file of another machine');
  const { attempts } = await client.listAttempts({ id });
  const assignment = assignmentOf(claim, attempts, { ...options, apiUrl: connection.url });
  const reported = await runBox(assignment, options);
  if (!reported)
    return back(options.abort.aborted ? 'the worker was stopped' : 'the agent could not be run here');
  const { status } = await client.getTask({ id });
  return { task_id: id, attempt: claim.attempt, outcome: 'reported', status, reason: null } satisfies Done;
}

/**
 * Claims tasks of one role, one after the other, and has each done by the same program that the platform runs in its containers. What it
 * hands in is verified by the platform like any other work.
 */
export async function runWorker(client: Client, connection: Connection, options: WorkOptions): Promise<void> {
  let broken = 0;
  for (let tasks = 0; options.maxTasks === 0 || tasks < options.maxTasks; ) {
    const claim = await claimNext(client, options);
    if (claim === null) {
      if (options.untilEmpty || options.abort.aborted) return;
      // The API has no push; see follow.ts.
      await setTimeout(options.pollSeconds * 1_000, undefined, { signal: options.abort }).catch(() => {});
      continue;
    }
    options.onClaim(claim);
    const done = await doTask(claim, client, connection, options);
    options.onDone(done);
    if (options.abort.aborted) return;
    tasks++;
    broken = done.outcome === 'reported' ? 0 : broken + 1;
    if (broken >= MAX_BROKEN)
      throw new CliError(EXIT.failed, 'worker_broken', `${broken} tasks in a row could not be run here.`, {
        hint: 'The lines above say why. The tasks are open again for other workers.',
      });
  }
}
