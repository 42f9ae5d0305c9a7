import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import type { LaunchMessage } from '../../shared/contract/messages/step-messages.ts';
import { FUNCTION_ENV_NAMES, METRIC_NAMES } from '../../shared/contract/resource-names.ts';
import { hashSubmitterName } from '../../shared/control/admission/admission-control.ts';
import type { TaskStreamConsumer } from '../../shared/control/dead-letters/dead-letter.ts';
import { countFailedStreamRecords } from '../../shared/control/dead-letters/partial-batch-response.ts';
import { DeadLetterStore } from '../../shared/store/dead-letters.ts';
import { readOptionalEnv, readRequiredEnv } from '../../shared/store/env.ts';
import { FailedBatchStore } from '../../shared/store/failed-batches.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { recordDeadLetter, retryDeadLetters } from '../../shared/use-cases/operate/retry-dead-letters.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';

const items = openTable();
const tasks = new TaskStore(items);
const letters = new DeadLetterStore(items);
const sqs = new SQSClient({});
const lambda = new LambdaClient({});
const readers = z
  .object({ ledger: z.string(), conductor: z.string() })
  .parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.streamReaders)));
const givenUp = new FailedBatchStore(
  new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' }),
  readRequiredEnv(FUNCTION_ENV_NAMES.bucket),
);
const queues = z
  .object({ 1: z.string(), 2: z.string(), 3: z.string(), gates: z.string() })
  .parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.launchQueues)));
const metrics = new Metrics({
  namespace: readOptionalEnv(FUNCTION_ENV_NAMES.metricsNamespace, METRIC_NAMES.namespace),
  serviceName: METRIC_NAMES.service,
});
/** What must be left of the invocation's time, in milliseconds, for another one to be tried. */
const RESERVE_MS = 5_000;

async function send(message: LaunchMessage, priority: 1 | 2 | 3): Promise<void> {
  const task = await tasks.get(message.task_id);
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: message.kind === 'agent' ? queues[priority] : queues.gates,
      MessageBody: JSON.stringify(message),
      ...(task && { MessageGroupId: hashSubmitterName(task) }),
    }),
  );
}

const notifyQueue = readOptionalEnv(FUNCTION_ENV_NAMES.notifyQueue, '');
async function sendNotice(message: string): Promise<void> {
  if (notifyQueue === '') throw new Error('the deployment has no targets of notifications any more');
  await sqs.send(new SendMessageCommand({ QueueUrl: notifyQueue, MessageBody: message }));
}

async function readAgain(
  reader: TaskStreamConsumer,
  event: { readonly Records: readonly unknown[] },
): Promise<void> {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: readers[reader], Payload: Buffer.from(JSON.stringify(event)) }),
  );
  const text = Buffer.from(Payload ?? []).toString('utf8');
  if (FunctionError !== undefined)
    throw new Error(`the ${reader} says ${FunctionError}: ${text.slice(0, 1_000)}`);
  const failed = countFailedStreamRecords(text);
  if (failed > 0)
    throw new Error(
      `the ${reader} has failed again, at ${failed} of ${event.Records.length} records; its log says why`,
    );
}

async function buryAll(event: SQSEvent): Promise<SQSBatchResponse> {
  const results = await Promise.allSettled(
    event.Records.map((record) => {
      const queue = record.eventSourceARN.split(':').at(-1) ?? '';
      const sentAt = new Date(Number(record.attributes.SentTimestamp));
      return recordDeadLetter(
        { queue, id: record.messageId, body: record.body, sentAt },
        letters,
        new Date(),
      );
    }),
  );
  for (const result of results)
    if (result.status === 'rejected')
      logger.error('a dead message was not written down', { error: result.reason });
  return {
    batchItemFailures: event.Records.flatMap(({ messageId }, index) =>
      results[index]?.status === 'rejected' ? [{ itemIdentifier: messageId }] : [],
    ),
  };
}

/** Writes down what lies in dead-letter queues and what readers of the stream gave up, and by its schedule tries again what is due. */
export const handler = withErrorLogging(
  async (
    event: SQSEvent | { readonly kind: 'schedule' },
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<unknown> => {
    if ('Records' in event) return buryAll(event);
    const goOn = (): boolean => context.getRemainingTimeInMillis() > RESERVE_MS;
    const result = await retryDeadLetters({
      ...{
        deadLetters: letters,
        tasks,
        failedBatches: givenUp,
        readerFunctions: readers,
        replayRecords: readAgain,
        sendLaunch: send,
        sendNotice,
        hasTimeLeft: goOn,
      },
      now: () => new Date(),
    });
    if (result.failed.length > 0) logger.error('dead letters failed again', { failed: result.failed });
    if (result.abandoned.length > 0)
      logger.error('dead letters were abandoned', { letters: result.abandoned });
    metrics.addMetric(METRIC_NAMES.deadLetters, MetricUnit.Count, await letters.countOpenGroups());
    metrics.publishStoredMetrics();
    return result;
  },
);
