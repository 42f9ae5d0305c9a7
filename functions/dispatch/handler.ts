import { ECSClient } from '@aws-sdk/client-ecs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import { LaunchMessage } from '../../shared/contract/messages/step-messages.ts';
import { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ADMISSION_RETRY_SECONDS } from '../../shared/control/admission/admission-control.ts';
import { DeliveryInvoker } from '../../shared/store/delivery-invoker.ts';
import { EcsContainerClient } from '../../shared/store/ecs-containers.ts';
import { readOptionalEnv, readRequiredEnv } from '../../shared/store/env.ts';
import { LaunchError } from '../../shared/store/launch-error.ts';
import { LaunchStore } from '../../shared/store/launches.ts';
import { RunningContainerStore } from '../../shared/store/running-containers.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { SettingTuningStore } from '../../shared/store/tuning-state.ts';
import { type LaunchContext, launchContainer } from '../../shared/use-cases/containers/launch-container.ts';
import { readContainerCapacity, readLeaseSeconds, readTierModels } from '../runtime/config.ts';
import { createRepositoryCredentialProvider } from '../runtime/credential-provider.ts';
import { readTaskDefinitionFamilies } from '../runtime/image-families.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { buildQueueUrlFromArn, computeBackoffSeconds } from './backoff.ts';

const items = openTable();
const tasks = new TaskStore(items);
const tuning = new SettingTuningStore(items);
const room = readContainerCapacity();
const sqs = new SQSClient({});
const list = (value: string): string[] => value.split(',').filter((each) => each !== '');
const gatewayUrl = readOptionalEnv(FUNCTION_ENV_NAMES.modelGateway, '').replace(/\/+$/, '');
const shared: Omit<LaunchContext, 'now' | 'backoffSeconds' | 'receiveCount'> = {
  tasks,
  objects: createObjectStore(),
  launches: new LaunchStore(items),
  register: new RunningContainerStore(items, room.limits),
  capacity: room,
  containers: new EcsContainerClient(new ECSClient({}), readRequiredEnv(FUNCTION_ENV_NAMES.cluster), {
    subnets: list(readOptionalEnv(FUNCTION_ENV_NAMES.subnets, '')),
    securityGroups: list(readOptionalEnv(FUNCTION_ENV_NAMES.securityGroups, '')),
    assignPublicIp: readOptionalEnv(FUNCTION_ENV_NAMES.assignPublicIp, 'false') === 'true',
  }),
  deliveries: new DeliveryInvoker(new LambdaClient({}), readRequiredEnv(FUNCTION_ENV_NAMES.deliverFunction)),
  taskDefinitionFamilies: {
    agent: readRequiredEnv(FUNCTION_ENV_NAMES.agentFamily),
    gates: readRequiredEnv(FUNCTION_ENV_NAMES.gatesFamily),
  },
  familiesByImage: readTaskDefinitionFamilies(),
  apiUrl: readRequiredEnv(FUNCTION_ENV_NAMES.apiUrl).replace(/\/+$/, ''),
  defaultAdapter: AgentAdapterSettings.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.defaultAdapter))),
  modelGateway:
    gatewayUrl === ''
      ? null
      : {
          url: gatewayUrl,
          metersUsage: readOptionalEnv(FUNCTION_ENV_NAMES.modelGatewayMeters, 'false') === 'true',
          tiers: readTierModels(),
          judges: JudgeModels.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.knownJudgeModels, '{}'))),
        },
  getCredential: createRepositoryCredentialProvider(),
  leaseSeconds: readLeaseSeconds(),
  tuning,
};

/** True when the message is done with; false when it must come again. */
async function handle(record: SQSRecord): Promise<boolean> {
  const receiveCount = Number(record.attributes.ApproximateReceiveCount);
  const seconds = computeBackoffSeconds(receiveCount);
  try {
    await launchContainer(LaunchMessage.parse(JSON.parse(record.body)), {
      ...shared,
      receiveCount,
      backoffSeconds: seconds,
      now: new Date(),
    });
    return true;
  } catch (error) {
    const again =
      error instanceof LaunchError && error.isNextInLine
        ? Math.min(seconds, ADMISSION_RETRY_SECONDS)
        : seconds;
    const about = { message_id: record.messageId, retry_in_s: again, error };
    if (error instanceof LaunchError && error.kind === 'capacity') logger.warn('no capacity', about);
    else logger.error('launch failed', about);
    await sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: buildQueueUrlFromArn(record.eventSourceARN),
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: again,
      }),
    );
    return false;
  }
}

export const handler = withErrorLogging(async (event: SQSEvent): Promise<SQSBatchResponse> => {
  const done = await Promise.all(event.Records.map(handle));
  return {
    batchItemFailures: event.Records.filter((_, index) => !done[index]).map((record) => ({
      itemIdentifier: record.messageId,
    })),
  };
});
