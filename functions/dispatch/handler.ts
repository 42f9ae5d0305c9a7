import { ECSClient } from '@aws-sdk/client-ecs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { Adapter } from '../../shared/contract/agents/adapter.ts';
import { LaunchMessage } from '../../shared/contract/messages/queue.ts';
import { JudgeModels } from '../../shared/contract/models/models.ts';
import { ENV } from '../../shared/contract/names.ts';
import { NEXT_SECONDS } from '../../shared/control/admission/fair-share.ts';
import { BoxRegister } from '../../shared/store/box-register.ts';
import { Boxes } from '../../shared/store/boxes.ts';
import { Deliveries } from '../../shared/store/deliveries.ts';
import { optionalEnv, requireEnv } from '../../shared/store/env.ts';
import { NotStarted } from '../../shared/store/run-task-answers.ts';
import { type LaunchContext, launchBox } from '../../shared/use-cases/containers/launch.ts';
import { boxRoom, leaseSeconds, tierModels } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { heard } from '../runtime/heard.ts';
import { imageFamilies } from '../runtime/images.ts';
import { logger } from '../runtime/logger.ts';
import { authorizer } from '../runtime/minter.ts';
import { objects as objectStore } from '../runtime/objects.ts';
import { backOffSeconds, queueUrl } from './back-off.ts';

const { db, table, tasks, evolution } = stores();
const room = boxRoom();
const sqs = new SQSClient({});
const list = (value: string): string[] => value.split(',').filter((each) => each !== '');
const gatewayUrl = optionalEnv(ENV.modelGateway, '').replace(/\/+$/, '');
const shared: Omit<LaunchContext, 'now' | 'backOffSeconds' | 'receiveCount'> = {
  tasks,
  objects: objectStore(),
  register: new BoxRegister(db, table, room.limits),
  room,
  boxes: new Boxes(new ECSClient({}), requireEnv(ENV.cluster), {
    subnets: list(optionalEnv(ENV.subnets, '')),
    securityGroups: list(optionalEnv(ENV.securityGroups, '')),
    assignPublicIp: optionalEnv(ENV.assignPublicIp, 'false') === 'true',
  }),
  deliveries: new Deliveries(new LambdaClient({}), requireEnv(ENV.deliverFunction)),
  families: {
    agent: requireEnv(ENV.agentFamily),
    gates: requireEnv(ENV.gatesFamily),
  },
  imageFamilies: imageFamilies(),
  apiUrl: requireEnv(ENV.apiUrl).replace(/\/+$/, ''),
  defaultAdapter: Adapter.parse(JSON.parse(requireEnv(ENV.defaultAdapter))),
  modelGateway:
    gatewayUrl === ''
      ? null
      : {
          url: gatewayUrl,
          witnesses: optionalEnv(ENV.modelGatewayWitnesses, 'false') === 'true',
          tiers: tierModels(),
          judges: JudgeModels.parse(JSON.parse(optionalEnv(ENV.judgesKnown, '{}'))),
        },
  authorize: authorizer(),
  leaseSeconds: leaseSeconds(),
  evolution,
};

/** True when the message is done with; false when it must come again. */
async function handle(record: SQSRecord): Promise<boolean> {
  const receiveCount = Number(record.attributes.ApproximateReceiveCount);
  const seconds = backOffSeconds(receiveCount);
  try {
    await launchBox(LaunchMessage.parse(JSON.parse(record.body)), {
      ...shared,
      receiveCount,
      backOffSeconds: seconds,
      now: new Date(),
    });
    return true;
  } catch (error) {
    const again = error instanceof NotStarted && error.isNext ? Math.min(seconds, NEXT_SECONDS) : seconds;
    const about = { message_id: record.messageId, retry_in_s: again, error };
    if (error instanceof NotStarted && error.kind === 'capacity') logger.warn('no capacity', about);
    else logger.error('launch failed', about);
    await sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl(record.eventSourceARN),
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: again,
      }),
    );
    return false;
  }
}

export const handler = heard(async (event: SQSEvent): Promise<SQSBatchResponse> => {
  const done = await Promise.all(event.Records.map(handle));
  return {
    batchItemFailures: event.Records.filter((_, index) => !done[index]).map((record) => ({
      itemIdentifier: record.messageId,
    })),
  };
});
