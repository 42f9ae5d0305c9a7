import { shuffle } from '../fault-injection.ts';
import type { AwsJsonClient } from '../http/aws-json.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';
import type { InjectedFaults, LambdaHost, Stoppable } from '../shared-types.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../template/identity.ts';
import { failedItemIds } from './batch-failures.ts';
import type { QueueMapping } from './event-source-mapping.ts';

/** Seconds that one receive waits for a message: the longest that SQS offers. */
const WAIT_SECONDS = 20;
/** Pause in milliseconds after SQS could not be reached. */
const PAUSE_MS = 200;

interface QueuePollerOptions {
  readonly mapping: QueueMapping;
  readonly sqs: AwsJsonClient;
  readonly sqsEndpoint: string;
  readonly lambda: LambdaHost;
  readonly faults: InjectedFaults;
  onError(message: string): void;
}

/**
 * Feeds the messages of a queue to a function. Messages that it reports as failed come again after the
 * visibility timeout.
 */
export function startQueuePoller(options: QueuePollerOptions): Stoppable {
  const { mapping, sqs, lambda, faults, onError } = options;
  const QueueUrl = `${options.sqsEndpoint}/${LOCAL_ACCOUNT_ID}/${mapping.sourceArn.split(':').at(-1)}`;
  const stopping = new AbortController();
  const inWork = new Set<Promise<void>>();

  async function receive(): Promise<readonly UnknownRecord[]> {
    const { status, body } = await sqs.call(
      'ReceiveMessage',
      {
        QueueUrl,
        MaxNumberOfMessages: mapping.batchSize,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      stopping.signal,
    );
    if (status >= 400) throw new Error(`ReceiveMessage answered ${JSON.stringify(body)}`);
    const messages = body['Messages'];
    return Array.isArray(messages) ? messages.filter(isRecord) : [];
  }

  async function remove(messages: readonly UnknownRecord[]): Promise<void> {
    if (messages.length === 0) return;
    await sqs.callOrThrow('DeleteMessageBatch', {
      QueueUrl,
      Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    });
  }

  async function handle(received: readonly UnknownRecord[]): Promise<void> {
    const wanted = received.filter((message) => isWanted(message, mapping));
    // As in Lambda, messages that no filter matches are deleted.
    await remove(received.filter((message) => !wanted.includes(message)));
    if (wanted.length === 0) return;
    const deliver = () => {
      const order = faults.shuffle ? shuffle(wanted) : wanted;
      return lambda.invoke(mapping.functionName, { Records: order.map((item) => toRecord(item, mapping)) });
    };
    const deliveries = faults.duplicateMessages ? [deliver(), deliver()] : [deliver()];
    const ids = wanted.map((message) => String(message['MessageId']));
    const failed = new Set<string>();
    for (const result of await Promise.all(deliveries)) {
      if (result.error !== undefined) {
        onError(`${mapping.id}: ${result.error.errorType}: ${result.error.errorMessage}`);
      }
      for (const id of failedItemIds(result, ids, mapping.reportsItems)) failed.add(id);
    }
    if (faults.lostRemovals) return;
    await remove(wanted.filter((message) => !failed.has(String(message['MessageId']))));
  }

  function start(messages: readonly UnknownRecord[]): void {
    const work: Promise<void> = handle(messages)
      .catch((error: unknown) => onError(`${mapping.id}: ${String(error)}`))
      .finally(() => inWork.delete(work));
    inWork.add(work);
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (inWork.size >= mapping.concurrency) await Promise.race(inWork);
        else start(await receive());
      } catch (error) {
        if (stopping.signal.aborted) break;
        onError(`${mapping.id}: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    await Promise.all(inWork);
  }

  const ended = poll();
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

const parsed = (body: unknown): unknown => {
  try {
    return JSON.parse(String(body));
  } catch {
    return body;
  }
};

function isWanted(message: UnknownRecord, { filters }: QueueMapping): boolean {
  if (filters === null) return true;
  const event = { ...toRecordBase(message), body: parsed(message['Body']) };
  return filters.some((matches) => matches(event));
}

const toRecordBase = (message: UnknownRecord): UnknownRecord => ({
  messageId: message['MessageId'],
  receiptHandle: message['ReceiptHandle'],
  body: message['Body'],
  attributes: message['Attributes'] ?? {},
  messageAttributes: messageAttributes(message['MessageAttributes']),
});

/** A message as a record of a Lambda event. */
const toRecord = (message: UnknownRecord, mapping: QueueMapping): UnknownRecord => ({
  ...toRecordBase(message),
  md5OfBody: message['MD5OfBody'],
  eventSource: 'aws:sqs',
  eventSourceARN: mapping.sourceArn,
  awsRegion: LOCAL_REGION,
});

function messageAttributes(attributes: unknown): UnknownRecord {
  if (!isRecord(attributes)) return {};
  const lowerCase = (attribute: unknown): UnknownRecord =>
    Object.fromEntries(
      Object.entries(isRecord(attribute) ? attribute : {}).map(([name, value]) => [
        name.charAt(0).toLowerCase() + name.slice(1),
        value,
      ]),
    );
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, lowerCase(value)]));
}
