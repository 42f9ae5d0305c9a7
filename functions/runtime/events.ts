import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { ENV } from '../../shared/contract/names.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { EventPublisher } from '../../shared/store/events.ts';

/** The bus that events of the deployment go to. */
export const eventPublisher = (): EventPublisher =>
  new EventPublisher(new EventBridgeClient({}), requireEnv(ENV.eventBus));
