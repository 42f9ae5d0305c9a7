import { Stack } from 'aws-cdk-lib';
import { EventBus, EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { EVENT_SOURCE, type EventName } from '../shared/control/events/event-schemas.ts';
import type { StackAlarms } from './alarms.ts';
import type { ServiceFunction } from './function.ts';

export interface DeploymentEventBusProps {
  readonly alarms: StackAlarms;
  /** Gets what a person should look at. @default - the topic has no subscriber */
  readonly email?: string | undefined;
}

/** What a person should hear of at once. `Task Done` is for machines, and `Task Failed` comes with `Budget Spent`. */
const FOR_PEOPLE: readonly EventName[] = ['Task Held', 'Task Failed', 'Task Unverified'];

/** The bus that says what happens in the deployment, for whoever adds a rule to it, and a topic for people. */
export class DeploymentEventBus extends Construct {
  readonly bus: EventBus;
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: DeploymentEventBusProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      // A bus must have a name; that of the stack is unique in the account.
      eventBusName: Stack.of(this).stackName,
      description: 'What happens to the tasks of Assay',
    });
    this.topic = new Topic(this, 'ForPeople', { masterKey: props.alarms.key, enforceSSL: true });
    new Rule(this, 'TellPeople', {
      description: 'Tasks that wait for a person, have failed, or were completed without evidence',
      eventBus: this.bus,
      eventPattern: { source: [EVENT_SOURCE], detailType: [...FOR_PEOPLE] },
      targets: [
        // EventBridge may publish and use the key: the target's own doing, without a condition, which its topic policies have not always known.
        // No dead-letter queue: EventBridge tries for a day, and the task is in the API, the dashboard and the records.
        new SnsTopic(this.topic, {
          message: RuleTargetInput.fromText(EventField.fromPath('$.detail.summary')),
        }),
      ],
    });
    if (props.email) this.topic.addSubscription(new EmailSubscription(props.email));
  }

  /** Lets a function put our events on the bus, and no others. */
  allow(grantee: ServiceFunction): void {
    grantee.allow({
      actions: ['events:PutEvents'],
      on: [this.bus.eventBusArn],
      when: { StringEquals: { 'events:source': EVENT_SOURCE } },
    });
  }
}
