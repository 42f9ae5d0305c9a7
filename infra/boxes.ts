import { Duration, RemovalPolicy, Size, Validations } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AwsLogDriverMode,
  Capability,
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateTaskDefinition,
  LinuxParameters,
  LogDrivers,
  OperatingSystemFamily,
  Secret,
} from 'aws-cdk-lib/aws-ecs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret as StoredSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { BOX_ENV, CONTAINER_NAME } from '../shared/names.ts';
import type { BoxKind } from '../shared/task/attempt.ts';
import { DROPPED_CAPABILITIES } from './box-capabilities.ts';
import type { BoxSize } from './box-size.ts';
import type { ContainerName } from './build.ts';
import type { Common } from './function.ts';

export interface BoxesProps {
  readonly common: Common;
  readonly vpc: IVpc;
  readonly sizes: Readonly<Record<'agent' | 'gates', BoxSize>>;
  /** ARN of the secret that the deliver box pushes with. @default - it can push to public write endpoints only */
  readonly deliverySecretArn?: string | undefined;
}

/** The only places where a box can write. The images declare them as volumes, so that they keep their owner and mode. */
const WRITABLE = { work: '/work', temporary: '/tmp' };

/** Clones, applies one patch and pushes. */
const DELIVER_SIZE: BoxSize = { cpu: 512, memory: 1_024 };

const BOXES = {
  agent: { image: 'agent', command: [] },
  gates: { image: 'gates', command: ['gates'] },
  deliver: { image: 'gates', command: ['deliver'] },
} as const satisfies Record<BoxKind, { image: ContainerName; command: readonly string[] }>;

/** The cluster and what runs in it: two images, three task definitions, none of which may call AWS. */
export class Boxes extends Construct {
  readonly cluster: Cluster;
  readonly definitions: Readonly<Record<BoxKind, FargateTaskDefinition>>;

  constructor(scope: Construct, id: string, props: BoxesProps) {
    super(scope, id);
    this.cluster = new Cluster(this, 'Cluster', {
      vpc: props.vpc,
      containerInsightsV2: ContainerInsights.DISABLED,
    });
    Validations.of(this.cluster).acknowledge({
      id: 'AwsSolutions-ECS4',
      reason:
        'Container Insights bills every metric of a cluster and of each family, also between tasks. What is asked of a box (exit code, reason, duration, cost) is in its records.',
    });
    const make = (kind: BoxKind) => this.define(kind, props);
    this.definitions = { agent: make('agent'), gates: make('gates'), deliver: make('deliver') };
  }

  private define(kind: BoxKind, props: BoxesProps): FargateTaskDefinition {
    const { image, command } = BOXES[kind];
    const size = kind === 'deliver' ? DELIVER_SIZE : props.sizes[kind];
    const scope = new Construct(this, kind);
    const definition = new FargateTaskDefinition(scope, 'Task', {
      cpu: size.cpu,
      memoryLimitMiB: size.memory,
      ...(size.disk && { ephemeralStorageGiB: size.disk }),
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      volumes: Object.keys(WRITABLE).map((name) => ({ name })),
    });
    const linuxParameters = new LinuxParameters(scope, 'Linux', { initProcessEnabled: true });
    linuxParameters.dropCapabilities(...DROPPED_CAPABILITIES.map((name) => Capability[name]));
    const container = definition.addContainer('Container', {
      containerName: CONTAINER_NAME[kind],
      image: ContainerImage.fromAsset(props.common.bundles.imageDirectory(image), {
        platform: Platform.LINUX_ARM64,
      }),
      command: [...command],
      readonlyRootFilesystem: true,
      linuxParameters,
      // The longest that Fargate grants: time for the supervisor to report why it ends.
      stopTimeout: Duration.seconds(120),
      logging: LogDrivers.awsLogs({
        streamPrefix: kind,
        // A box must not stand still because its log is slow.
        mode: AwsLogDriverMode.NON_BLOCKING,
        maxBufferSize: Size.mebibytes(4),
        logGroup: new LogGroup(scope, 'Log', {
          retention: props.common.logRetention,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      }),
      ...(kind === 'deliver' &&
        props.deliverySecretArn && {
          secrets: {
            [BOX_ENV.gitCredential]: Secret.fromSecretsManager(
              StoredSecret.fromSecretCompleteArn(scope, 'Credential', props.deliverySecretArn),
            ),
          },
        }),
    });
    container.addMountPoints(
      ...Object.entries(WRITABLE).map(([sourceVolume, containerPath]) => ({
        sourceVolume,
        containerPath,
        readOnly: false,
      })),
    );
    Validations.of(definition.obtainExecutionRole()).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'ecr:GetAuthorizationToken knows no resource; all that names a repository or a log is scoped.',
    });
    return definition;
  }
}
