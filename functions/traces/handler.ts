import type { EventBridgeEvent } from 'aws-lambda';
import * as z from 'zod';
import type { MeteredModelCall } from '../../shared/contract/models/metered-call.ts';
import { GitCredentialsSource } from '../../shared/contract/repository/git-secret.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { buildTaskTrace } from '../../shared/control/telemetry/task-trace.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { ModelCallStore } from '../../shared/store/model-calls.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { openTable } from '../runtime/open-table.ts';
import { readParsedSecret } from '../runtime/secrets.ts';
import { exportSpans, toReadableSpans } from './export-spans.ts';

const TaskEnded = z.object({ task_id: z.string() });
const Headers = z.record(z.string(), z.string());
const items = openTable();
const tasks = new TaskStore(items);
const calls = new ModelCallStore(items);
const url = readOptionalEnv(FUNCTION_ENV_NAMES.otlpEndpoint, '');
const service = readOptionalEnv(FUNCTION_ENV_NAMES.metricsNamespace, 'assay');
const secret = GitCredentialsSource.parse(
  JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.otlpSecret, '{"via":"none"}')),
);

/** Single calls that are told of a task at most, and of one of its attempts. What is left out is counted on the box. */
const MOST_CALLS = 1_000;
const MOST_OF_ATTEMPT = 200;

async function callsOf({ id, attempts }: Task): Promise<MeteredModelCall[]> {
  const most = Math.max(1, Math.min(MOST_OF_ATTEMPT, Math.floor(MOST_CALLS / Math.max(1, attempts.length))));
  const asked = attempts.filter(
    ({ metered_usage: witnessed, gates_metered_usage: opinions }) => witnessed || opinions,
  );
  return (await Promise.all(asked.map(({ number }) => calls.listOfAttempt(id, number, most)))).flat();
}

/** Tells a collector of a task that has ended. An error that is thrown is tried again: the same spans under the same ids. */
export const handler = withErrorLogging(
  async ({ detail }: EventBridgeEvent<string, unknown>): Promise<void> => {
    if (url === '') return;
    const task = await tasks.get(TaskEnded.parse(detail).task_id);
    const trace = task && buildTaskTrace(task, await callsOf(task));
    if (!trace) return;
    const headers = secret.via === 'none' ? {} : await readParsedSecret('traces', Headers, secret);
    await exportSpans(toReadableSpans(trace, service), { url, headers });
  },
);
