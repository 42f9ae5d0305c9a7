import type { EventBridgeEvent } from 'aws-lambda';
import * as z from 'zod';
import { ENV } from '../../shared/names.ts';
import { GitSecretPlace } from '../../shared/repository/git-secret.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { traceOf } from '../../shared/telemetry/spans.ts';
import { stores } from '../kit/dynamodb.ts';
import { secretFor } from '../kit/secret.ts';
import { send, spansOf } from './export.ts';

const Ended = z.object({ task_id: z.string() });
const Headers = z.record(z.string(), z.string());
const { tasks } = stores();
const url = optionalEnv(ENV.otlpEndpoint, '');
const service = optionalEnv(ENV.metricsNamespace, 'assay');
const secret = GitSecretPlace.parse(JSON.parse(optionalEnv(ENV.otlpSecret, '{"via":"none"}')));

/** Tells a collector of a task that has ended. An error that is thrown is tried again: the same spans under the same ids. */
export const handler = async ({ detail }: EventBridgeEvent<string, unknown>): Promise<void> => {
  if (url === '') return;
  const task = await tasks.get(Ended.parse(detail).task_id);
  const trace = task && traceOf(task);
  if (!trace) return;
  const headers = secret.via === 'none' ? {} : await secretFor('traces', Headers, secret);
  await send(spansOf(trace, service), { url, headers });
};
