import { Duration, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import {
  AwsLogDriverMode,
  Capability,
  Cluster,
  ContainerImage,
  ContainerInsights,
  FargateTaskDefinition,
  LinuxParameters,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { AgentCliKind } from '../shared/contract/agents/adapter-manifests.ts';
import type { ContainerKind } from '../shared/contract/launch-kind.ts';
import {
  CONTAINER_ENV_NAMES,
  ECS_CONTAINER_NAMES,
  FUNCTION_ENV_NAMES,
} from '../shared/contract/resource-names.ts';
import { DEFAULT_TOOLCHAIN_IMAGE } from '../shared/contract/submission/toolchain-image.ts';
import { DROPPED_LINUX_CAPABILITIES } from './container-capabilities.ts';
import type { FargateContainerSize } from './container-size.ts';
import type { CommonConstructProps } from './function.ts';
import type { ContainerImageBuilder } from './image-builds.ts';
import { IMAGE_PLATFORMS } from './image-platforms.ts';
import type { ToolchainImageSetting, ToolchainImagesSetting } from './images.ts';
import { addPrivateCa } from './private-ca.ts';

export interface ContainerClusterProps {
  readonly common: CommonConstructProps;
  readonly vpc: IVpc;
  readonly sizes: Readonly<Record<'agent' | 'gates', FargateContainerSize>>;
  /** What the image of the agent box brings. */
  readonly agentClis: readonly AgentCliKind[];
  /** Agent CLIs of challengers, which the gates image holds. */
  readonly challengerClis: readonly AgentCliKind[];
  /** Toolchain images by name, beside the usual one; `default` puts another in its place. */
  readonly images: ToolchainImagesSetting;
  /** What builds images in the account. @default - Docker, where the deployment runs */
  readonly builds?: ContainerImageBuilder | undefined;
}

/** The only places where a box can write. The images declare them as volumes, so that they keep their owner and mode. */
const WRITABLE = { work: '/work', temporary: '/tmp' };

/** The cluster and what runs in it: an image and a task definition for each kind of box, none of which may call AWS. */
export class ContainerCluster extends Construct {
  readonly cluster: Cluster;
  readonly definitions: Readonly<Record<ContainerKind, FargateTaskDefinition>>;
  /** Of agent and gates boxes from other images: RunTask may override much of a definition, but not its image. */
  readonly byImage: Readonly<Record<string, Readonly<Record<'agent' | 'gates', FargateTaskDefinition>>>>;

  constructor(scope: Construct, id: string, props: ContainerClusterProps) {
    super(scope, id);
    this.cluster = new Cluster(this, 'Cluster', {
      vpc: props.vpc,
      containerInsightsV2: ContainerInsights.DISABLED,
      enableFargateCapacityProviders: true,
    });
    Validations.of(this.cluster).acknowledge({
      id: 'AwsSolutions-ECS4',
      reason:
        'Container Insights bills every metric of a cluster and of each family, also between tasks. What is asked of a box (exit code, reason, duration, cost) is in its records.',
    });
    const usual = props.images[DEFAULT_TOOLCHAIN_IMAGE];
    const make = (kind: ContainerKind) => this.define(kind, kind, props, usual);
    this.definitions = { agent: make('agent'), gates: make('gates') };
    this.byImage = Object.fromEntries(
      Object.entries(props.images)
        .filter(([name]) => name !== DEFAULT_TOOLCHAIN_IMAGE)
        .map(([name, image]) => {
          const one = (kind: 'agent' | 'gates') =>
            this.define(kind, `${kind}-${name}`, props, image, this.definitions[kind]);
          return [name, { agent: one('agent'), gates: one('gates') }];
        }),
    );
  }

  /** Every definition that may be started. */
  get all(): readonly FargateTaskDefinition[] {
    return [...Object.values(this.definitions), ...Object.values(this.byImage).flatMap(Object.values)];
  }

  /** What functions are told of the images. */
  get imageEnvironment(): Record<string, string> {
    const families = Object.entries(this.byImage).map(([name, { agent, gates }]) => [
      name,
      { agent: agent.family, gates: gates.family },
    ]);
    return { [FUNCTION_ENV_NAMES.imageFamilies]: Stack.of(this).toJsonString(Object.fromEntries(families)) };
  }

  private image(
    kind: ContainerKind,
    name: string,
    { common, agentClis, challengerClis, builds }: ContainerClusterProps,
    of: ToolchainImageSetting | undefined,
  ): { readonly image: ContainerImage; readonly when?: Construct } {
    if (typeof of === 'object') return { image: ContainerImage.fromRegistry(of[kind]) };
    const clis = kind === 'agent' ? agentClis : challengerClis;
    const toolchain = typeof of === 'string' ? `Dockerfile.${of}` : undefined;
    const folder = addPrivateCa(common.bundles.imageDirectory(kind), common.privateCa);
    if (builds) {
      const { repository, tag, when } = builds.build(name, {
        kind,
        folder,
        dockerfile: toolchain ?? 'Dockerfile',
        agentClis: clis.join(' '),
        buildArgs: common.imageArguments,
      });
      return { image: ContainerImage.fromEcrRepository(repository, tag), when };
    }
    const image = ContainerImage.fromAsset(folder, {
      platform: IMAGE_PLATFORMS[common.architecture].platform,
      ...(toolchain && { file: toolchain }),
      buildArgs: {
        ...common.imageArguments,
        ...(clis.length > 0 && { AGENT_CLIS: clis.join(' ') }),
      },
    });
    return { image };
  }

  /** Returns the log of a kind of container, whatever its image. */
  private logOf(kind: ContainerKind, { logRetention: retention }: CommonConstructProps): LogGroup {
    const id = `${kind}-log`;
    return (
      (this.node.tryFindChild(id) as LogGroup | undefined) ??
      new LogGroup(this, id, { retention, removalPolicy: RemovalPolicy.DESTROY })
    );
  }

  private define(
    kind: ContainerKind,
    name: string,
    props: ContainerClusterProps,
    of?: ToolchainImageSetting,
    like?: FargateTaskDefinition,
  ): FargateTaskDefinition {
    const size = props.sizes[kind];
    const scope = new Construct(this, name);
    const definition = new FargateTaskDefinition(scope, 'Task', {
      cpu: size.cpu,
      memoryLimitMiB: size.memory,
      ...(size.disk && { ephemeralStorageGiB: size.disk }),
      runtimePlatform: {
        cpuArchitecture: IMAGE_PLATFORMS[props.common.architecture].ecs,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      volumes: Object.keys(WRITABLE).map((volume) => ({ name: volume })),
      ...(like && { taskRole: like.taskRole, executionRole: like.obtainExecutionRole() }),
    });
    const { image, when } = this.image(kind, name, props, of);
    // No definition names an image that is not there yet.
    if (when) definition.node.addDependency(when);
    const linuxParameters = new LinuxParameters(scope, 'Linux', { initProcessEnabled: true });
    linuxParameters.dropCapabilities(...DROPPED_LINUX_CAPABILITIES.map((name) => Capability[name]));
    const container = definition.addContainer('Container', {
      containerName: ECS_CONTAINER_NAMES[kind],
      image,
      ...(props.common.privateCa && {
        environment: { [CONTAINER_ENV_NAMES.caBundle]: props.common.privateCa.pem },
      }),
      readonlyRootFilesystem: true,
      linuxParameters,
      // The longest that Fargate grants: time for the supervisor to report why it ends.
      stopTimeout: Duration.seconds(120),
      logging: LogDrivers.awsLogs({
        streamPrefix: kind,
        // A box must not stand still because its log is slow.
        mode: AwsLogDriverMode.NON_BLOCKING,
        maxBufferSize: Size.mebibytes(4),
        logGroup: this.logOf(kind, props.common),
      }),
    });
    if (props.common.privateCa)
      Validations.of(definition).acknowledge({
        id: 'AwsSolutions-ECS2',
        reason: 'Certificates of authorities are public; everything that is not comes in the assignment.',
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
