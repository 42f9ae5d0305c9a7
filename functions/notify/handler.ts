import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { GitCredentialsSource } from '../../shared/contract/repository/git-secret.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { NoticeDelivery, noticeOfEvent, selectTargets } from '../../shared/control/notify/notice.ts';
import { NotifySecret, NotifyTargets } from '../../shared/control/notify/notify-settings.ts';
import { noticeRetrySeconds } from '../../shared/control/notify/retry-schedule.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { NoticeStore } from '../../shared/store/notices.ts';
import {
  deliverNotice,
  type NoticeContext,
  NoticeError,
} from '../../shared/use-cases/operate/deliver-notice.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';
import { readParsedSecret } from '../runtime/secrets.ts';
import { postJson } from './post-json.ts';

const queueUrl = readRequiredEnv(FUNCTION_ENV_NAMES.notifyQueue);
const sqs = new SQSClient({});
const context: NoticeContext = {
  targets: NotifyTargets.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.notify))),
  readSecret: () =>
    readParsedSecret(
      'notifications',
      NotifySecret,
      GitCredentialsSource.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.notifySecret))),
    ),
  notices: new NoticeStore(openTable()),
  post: postJson,
  pageUrl: readRequiredEnv(FUNCTION_ENV_NAMES.apiUrl).replace(/\/+$/, ''),
  now: () => new Date(),
};

/** Queues an event once for each target, so that no target waits for another one. */
async function distribute(event: unknown): Promise<void> {
  const notice = noticeOfEvent(event);
  if (notice === null) return;
  for (const { name } of selectTargets(context.targets, notice)) {
    const delivery: NoticeDelivery = { kind: 'notice', target: name, notice };
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(delivery) }));
  }
}

/** Returns true when the message is done with; false when it must come again. */
async function handle(record: SQSRecord): Promise<boolean> {
  const attempts = Number(record.attributes.ApproximateReceiveCount);
  let about: object = { message_id: record.messageId };
  try {
    const body: unknown = JSON.parse(record.body);
    const delivery = NoticeDelivery.safeParse(body);
    if (!delivery.success) {
      await distribute(body);
      return true;
    }
    const { target, notice } = delivery.data;
    about = { message_id: record.messageId, target, event_id: notice.id, task_id: notice.task?.id };
    const outcome = await deliverNotice(delivery.data, context);
    logger.info('notice', { ...about, outcome });
    return true;
  } catch (error) {
    const seconds = noticeRetrySeconds(attempts, error instanceof NoticeError ? error.retryAfter : null);
    // An outage of a target is no fault of ours: its dead letters have an alarm.
    if (error instanceof NoticeError)
      logger.warn('not delivered', { ...about, retry_in_s: seconds, reason: error.message });
    else logger.error('not delivered', { ...about, retry_in_s: seconds, error });
    await sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl,
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: seconds,
      }),
    );
    return false;
  }
}

/** Tells the targets of the deployment what happens to tasks. */
export const handler = withErrorLogging(async (event: SQSEvent): Promise<SQSBatchResponse> => {
  const done = await Promise.all(event.Records.map(handle));
  return {
    batchItemFailures: event.Records.filter((_, index) => !done[index]).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  };
});
