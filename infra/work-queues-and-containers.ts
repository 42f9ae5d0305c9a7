import { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { LAUNCH_MESSAGE_VISIBILITY_SECONDS } from '../shared/contract/messages/step-messages.ts';
import type { PRIORITIES } from '../shared/contract/submission/schema.ts';
import type { StackAlarms } from './alarms.ts';
import { ContainerCluster, type ContainerClusterProps } from './container-cluster.ts';
import type { CommonConstructProps } from './function.ts';
import { FargateNetwork, type FargateNetworkProps, type NetworkMode } from './network.ts';
import { DeadLetterQueue, LaunchMessageQueue, requireTls } from './queues.ts';

export type TaskPriorityLevel = (typeof PRIORITIES)[number];

export interface WorkQueuesAndContainersProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly networkMode: NetworkMode;
  readonly ownNetwork?: FargateNetworkProps['own'];
  readonly zones?: FargateNetworkProps['zones'];
  readonly sizes: ContainerClusterProps['sizes'];
  readonly agentClis: ContainerClusterProps['agentClis'];
  readonly challengerClis: ContainerClusterProps['challengerClis'];
  readonly images: ContainerClusterProps['images'];
  readonly builds?: ContainerClusterProps['builds'];
}

/** How long the dispatcher may take for a batch: a sixth of the queues' visibility timeout, as Lambda asks. */
export const DISPATCH_TIMEOUT = Duration.seconds(LAUNCH_MESSAGE_VISIBILITY_SECONDS / 6);

/** Waiting for longer than this is worth an alarm. Nice-to-have work may wait for capacity for a while. */
const PATIENCE = { 1: Duration.minutes(10), 2: Duration.minutes(30), 3: Duration.hours(4) } as const;

/** Where work waits (a queue for agents of each priority, one for gates and deliveries) and where it is done (the boxes). */
export class WorkQueuesAndContainers extends Construct {
  readonly agentQueues: Readonly<Record<TaskPriorityLevel, Queue>>;
  readonly gatesQueue: Queue;
  /** Takes launches and notifications that were given up. */
  readonly deadLetters: Queue;
  readonly network: FargateNetwork;
  readonly boxes: ContainerCluster;

  constructor(scope: Construct, id: string, props: WorkQueuesAndContainersProps) {
    super(scope, id);
    const { common, alarms } = props;
    // One for all: each queue that Lambda polls costs the same, whether it has messages or not.
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', {
      alarms,
      meaning:
        'The dispatcher has given up launches, which are asked for again within a quarter of an hour; or a notification was not delivered for 18 hours.',
      runbook: 'launch-dead-letters',
      hasOwnPolicy: false,
    }).queue;
    const { deadLetters } = this;
    const queue = (name: string, launches: string, patience: Duration): Queue =>
      new LaunchMessageQueue(this, name, { alarms, launches, patience, deadLetters }).queue;
    this.agentQueues = {
      1: queue('Agents1', 'agents of priority 1', PATIENCE[1]),
      2: queue('Agents2', 'agents of priority 2', PATIENCE[2]),
      3: queue('Agents3', 'agents of priority 3', PATIENCE[3]),
    };
    this.gatesQueue = queue('Gates', 'gates and deliveries', PATIENCE[1]);
    requireTls(this, [...Object.values(this.agentQueues), this.gatesQueue, deadLetters]);
    this.network = new FargateNetwork(this, 'Network', {
      common,
      mode: props.networkMode,
      own: props.ownNetwork,
      zones: props.zones,
    });
    this.boxes = new ContainerCluster(this, 'Boxes', {
      common,
      vpc: this.network.vpc,
      sizes: props.sizes,
      agentClis: props.agentClis,
      challengerClis: props.challengerClis,
      images: props.images,
      builds: props.builds,
    });
  }

  /** All four queues. */
  get queues(): readonly Queue[] {
    return [...Object.values(this.agentQueues), this.gatesQueue];
  }
}
