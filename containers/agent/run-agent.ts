import {
  ApiRefusalError,
  type ContainerApiClient,
  createContainerApiClient,
} from '../../shared/api/container-client.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { classifyErrorFailureCode } from '../../shared/control/failures/thrown-errors.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import type { AgentRunState } from './adapters/run-state.ts';
import { AttemptRun } from './attempt-run.ts';
import { handInPullRequest } from './hand-in-pull-request.ts';
import { startLeaseRenewal } from './lease.ts';
import type { MiddlewareRuntime } from './middleware/create-middleware.ts';
import { describeAgentProgress } from './progress.ts';

/** Runs one attempt under its lease, and reports an error that the API can classify. */
export async function runAgent(assignment: AgentAssignment, box: ContainerWorkContext): Promise<void> {
  const client = createContainerApiClient(assignment);
  let state: AgentRunState | null = null;
  let runtime: MiddlewareRuntime | null = null;
  const lease = startLeaseRenewal(
    client,
    assignment.heartbeat_s * 1_000,
    () => state && describeAgentProgress(state),
  );
  try {
    const abort = AbortSignal.any([lease.lost, box.abort]);
    const { pull_request: pull } = assignment;
    if (pull) return await handInPullRequest({ ...assignment, pull_request: pull }, box, client);
    const attempt = await AttemptRun.prepare(assignment, box, client, abort, {
      onStart: (started) => {
        state = started;
      },
      onMiddleware: (created) => {
        runtime = created;
      },
    });
    await attempt.run();
  } catch (error) {
    if (lease.lost.aborted || isOver(error)) console.error(String(error));
    else await reportError(client, error, runtime);
  } finally {
    await (runtime as MiddlewareRuntime | null)?.hookServer?.close();
    lease.stop();
  }
}

/** The API refuses reports with 409 once the attempt has ended; then no report is needed. */
const isOver = (error: unknown): boolean => error instanceof ApiRefusalError && error.status === 409;

/** Reports errors of middleware hooks and of the checkout with their failure class. @throws any other error again */
async function reportError(
  client: ContainerApiClient,
  error: unknown,
  runtime: MiddlewareRuntime | null,
): Promise<void> {
  if (runtime?.middleware.isHookError(error))
    return void (await client.post('fail', {
      reason: `what is wrapped around the run has failed: ${error instanceof Error ? error.message : String(error)}`,
      failure_code: classifyErrorFailureCode(error),
      middleware: runtime.middleware.toRecord(),
    }));
  if (!(error instanceof CheckoutError) || error.failureClass === 'unknown') throw error;
  await client.post('fail', {
    reason: error.message,
    failure_code: error.failureClass,
    exit: { failure_text_source: 'summary' },
  });
}
