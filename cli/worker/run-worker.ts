import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod';
import type { ClaimResponse } from '../../shared/api/report-schemas.ts';
import { isLoopbackUrl } from '../../shared/contract/repository/loopback.ts';
import { type ApiRouteClient, createApiRouteClient } from '../client.ts';
import type { ApiConnection } from '../connection.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { type AgentProcessOptions, runAgentProcess } from './agent-process.ts';
import { buildAgentAssignment, type WorkerSettings } from './assignment.ts';

type Claimed = z.infer<typeof ClaimResponse>;

/** The outcome of one claimed task. */
export interface ClaimedTaskResult {
  readonly task_id: string;
  readonly attempt: number;
  /** reported: the agent reported its work or its failure. handed_back: the task is open again for other workers. */
  readonly outcome: 'reported' | 'handed_back';
  readonly status: string;
  readonly reason: string | null;
}

export interface WorkerOptions extends Omit<WorkerSettings, 'apiUrl'>, Omit<AgentProcessOptions, 'onLog'> {
  readonly role: string;
  /** Ends after this many tasks; 0: never. */
  readonly maxTasks: number;
  /** Ends when there is no task to claim, instead of waiting. */
  readonly untilEmpty: boolean;
  readonly pollSeconds: number;
  readonly onClaim: (claim: Claimed) => void;
  readonly onResult: (result: ClaimedTaskResult) => void;
  readonly onLog: (line: string) => void;
}

/** After this many agent runs in a row without a report, the fault is the worker's. */
const MAX_FAILED_RUNS = 3;

async function claimNext(client: ApiRouteClient, options: WorkerOptions): Promise<Claimed | null> {
  const { role, model, abort } = options;
  try {
    return await client.claimNext({ role, body: model === undefined ? {} : { model } }, { signal: abort });
  } catch (error) {
    if (abort.aborted || (error instanceof CliError && error.code === 'no_task')) return null;
    throw error;
  }
}

/** Releases a task that has no report. If the server refuses, the task is released when its lease expires. */
async function releaseTask(
  claim: Claimed,
  reason: string,
  connection: ApiConnection,
): Promise<ClaimedTaskResult> {
  const agent = createApiRouteClient({ ...connection, token: claim.token });
  const released = {
    task_id: claim.task.id,
    attempt: claim.attempt,
    outcome: 'handed_back',
    reason,
  } as const;
  try {
    const { status } = await agent.release({ id: claim.task.id, body: { reason } });
    return { ...released, status };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...released, status: 'unknown', reason: `${reason}; ${error.message}` };
  }
}

async function runTask(
  claim: Claimed,
  client: ApiRouteClient,
  connection: ApiConnection,
  options: WorkerOptions,
): Promise<ClaimedTaskResult> {
  const { id, repository } = claim.task;
  const release = (reason: string): Promise<ClaimedTaskResult> => releaseTask(claim, reason, connection);
  if (options.abort.aborted) return release('the worker was stopped');
  // Only a deployment on this machine may make the worker read files of this machine.
  if (repository.startsWith('file:') && !isLoopbackUrl(connection.url))
    return release('its repository is a file of another machine');
  const { attempts } = await client.listAttempts({ id });
  const assignment = buildAgentAssignment(claim, attempts, { ...options, apiUrl: connection.url });
  const reported = await runAgentProcess(assignment, options);
  if (!reported)
    return release(options.abort.aborted ? 'the worker was stopped' : 'the agent could not be run here');
  const { status } = await client.getTask({ id });
  return { task_id: id, attempt: claim.attempt, outcome: 'reported', status, reason: null };
}

/**
 * Claims tasks of one role, one after the other, and runs the agent program of the agent container for each. The deployment verifies the
 * work like any other.
 * @throws CliError if several runs in a row end without a report
 */
export async function runWorker(
  client: ApiRouteClient,
  connection: ApiConnection,
  options: WorkerOptions,
): Promise<void> {
  let failedRuns = 0;
  for (let tasks = 0; options.maxTasks === 0 || tasks < options.maxTasks; ) {
    const claim = await claimNext(client, options);
    if (claim === null) {
      if (options.untilEmpty || options.abort.aborted) return;
      // The API has no push: see follow-tasks.ts.
      await setTimeout(options.pollSeconds * 1_000, undefined, { signal: options.abort }).catch(() => {});
      continue;
    }
    options.onClaim(claim);
    const result = await runTask(claim, client, connection, options);
    options.onResult(result);
    if (options.abort.aborted) return;
    tasks++;
    failedRuns = result.outcome === 'reported' ? 0 : failedRuns + 1;
    if (failedRuns >= MAX_FAILED_RUNS)
      throw new CliError(
        CLI_EXIT_CODES.failed,
        'worker_broken',
        `${failedRuns} tasks in a row could not be run here.`,
        {
          hint: 'The log above says why. The tasks are open again for other workers.',
        },
      );
  }
}
