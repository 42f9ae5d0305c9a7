import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { EventPublisher } from '../../shared/store/event-publisher.ts';

/** The bus that events of the deployment go to. */
export const createEventPublisher = (): EventPublisher =>
  new EventPublisher(new EventBridgeClient({}), readRequiredEnv(FUNCTION_ENV_NAMES.eventBus));
