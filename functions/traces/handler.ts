import type { EventBridgeEvent } from 'aws-lambda';
import * as z from 'zod';
import type { WitnessedCall } from '../../shared/contract/models/call.ts';
import { ENV } from '../../shared/contract/names.ts';
import { GitSecretPlace } from '../../shared/contract/repository/git-secret.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { traceOf } from '../../shared/control/telemetry/spans.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { ModelCallStore } from '../../shared/store/model-calls.ts';
import { stores } from '../runtime/dynamodb.ts';
import { heard } from '../runtime/heard.ts';
import { secretFor } from '../runtime/secret.ts';
import { send, spansOf } from './export.ts';

const Ended = z.object({ task_id: z.string() });
const Headers = z.record(z.string(), z.string());
const { db, table, tasks } = stores();
const calls = new ModelCallStore(db, table);
const url = optionalEnv(ENV.otlpEndpoint, '');
const service = optionalEnv(ENV.metricsNamespace, 'assay');
const secret = GitSecretPlace.parse(JSON.parse(optionalEnv(ENV.otlpSecret, '{"via":"none"}')));

/** Single calls that are told of a task at most, and of one of its attempts. What is left out is counted on the box. */
const MOST_CALLS = 1_000;
const MOST_OF_ATTEMPT = 200;

async function callsOf({ id, attempts }: Task): Promise<WitnessedCall[]> {
  const most = Math.max(1, Math.min(MOST_OF_ATTEMPT, Math.floor(MOST_CALLS / Math.max(1, attempts.length))));
  const asked = attempts.filter(({ witnessed, opinions }) => witnessed || opinions);
  return (await Promise.all(asked.map(({ number }) => calls.of(id, number, most)))).flat();
}

/** Tells a collector of a task that has ended. An error that is thrown is tried again: the same spans under the same ids. */
export const handler = heard(async ({ detail }: EventBridgeEvent<string, unknown>): Promise<void> => {
  if (url === '') return;
  const task = await tasks.get(Ended.parse(detail).task_id);
  const trace = task && traceOf(task, await callsOf(task));
  if (!trace) return;
  const headers = secret.via === 'none' ? {} : await secretFor('traces', Headers, secret);
  await send(spansOf(trace, service), { url, headers });
});
