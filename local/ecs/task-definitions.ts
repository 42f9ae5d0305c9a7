import { createResourcePropertyReader, type PropertyReader } from '../resource-properties.ts';
import { ServiceError } from '../service-actions.ts';
import type { ResolvedResource } from '../shared-types.ts';

/** Seconds between SIGTERM and SIGKILL without a StopTimeout (ECS API reference). */
const DEFAULT_STOP_TIMEOUT = 30;

export interface TaskDefinition {
  readonly family: string;
  readonly arn: string;
  readonly cpu: string;
  readonly memory: string;
  readonly container: ContainerDefinition;
}

export interface ContainerDefinition {
  readonly name: string;
  readonly image: string;
  /** Directory of the image's build context; `main.mjs` in it is the program. */
  readonly directory: string;
  readonly command: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  readonly stopTimeoutSeconds: number;
}

export interface EcsResources {
  /** Task definitions by family. */
  readonly families: ReadonlyMap<string, TaskDefinition>;
  /** Names of the clusters by ARN. */
  readonly clusters: ReadonlyMap<string, string>;
}

interface DeploymentOptions {
  readonly resources: readonly ResolvedResource[];
  readonly accountId: string;
  readonly region: string;
  imageDirectory(imageUri: unknown): string | null;
}

/** Reads clusters and task definitions. @throws Error that names the property that is not supported. */
export function readEcsResources(options: DeploymentOptions): EcsResources {
  const arn = (resource: string) => `arn:aws:ecs:${options.region}:${options.accountId}:${resource}`;
  const families = new Map<string, TaskDefinition>();
  const clusters = new Map<string, string>();
  for (const resource of options.resources) {
    if (resource.type === 'AWS::ECS::Cluster') {
      const name = createResourcePropertyReader(resource).text('ClusterName', resource.logicalId);
      clusters.set(arn(`cluster/${name}`), name);
    }
    if (resource.type === 'AWS::ECS::TaskDefinition') {
      const properties = createResourcePropertyReader(resource);
      const family = properties.text('Family', resource.logicalId);
      const [container, ...others] = properties.records('ContainerDefinitions');
      if (!container || others.length > 0) {
        throw new Error(`${properties.where}: a task has exactly one container in the embedded stack`);
      }
      families.set(family, {
        family,
        arn: arn(`task-definition/${family}:1`),
        cpu: properties.text('Cpu', '256'),
        memory: properties.text('Memory', '512'),
        container: containerOf(container, options),
      });
    }
  }
  return { families, clusters };
}

function containerOf(container: PropertyReader, options: DeploymentOptions): ContainerDefinition {
  container.only(
    'Name',
    'Image',
    'Command',
    'Environment',
    'StopTimeout',
    'Cpu',
    'Essential',
    'LinuxParameters',
    'LogConfiguration',
    'Memory',
    'MemoryReservation',
    'MountPoints',
    'ReadonlyRootFilesystem',
    'User',
  );
  const image = container.values['Image'];
  const directory = options.imageDirectory(image);
  if (directory === null) {
    throw new Error(`${container.where}: the image ${JSON.stringify(image)} is not in the assembly`);
  }
  return {
    name: container.text('Name'),
    image: String(image),
    directory,
    command: container.list('Command').map(String),
    environment: new Map(
      container.records('Environment').map((entry) => [entry.text('Name'), entry.text('Value')] as const),
    ),
    stopTimeoutSeconds: container.number('StopTimeout', DEFAULT_STOP_TIMEOUT),
  };
}

/** Finds a task definition by family, `family:1` or ARN. @throws ServiceError as ECS does. */
export function findTaskDefinition({ families }: EcsResources, name: unknown): TaskDefinition {
  const family = String(name)
    .replace(/^.*task-definition\//, '')
    .replace(/:1$/, '');
  const found = families.get(family);
  if (!found) throw new ServiceError('ClientException', 'TaskDefinition not found.');
  return found;
}

/** Finds the ARN of a cluster by name or ARN. @throws ServiceError as ECS does. */
export function findCluster({ clusters }: EcsResources, name: unknown): string {
  const wanted = typeof name === 'string' ? name : 'default';
  for (const [arn, known] of clusters) if (wanted === arn || wanted === known) return arn;
  throw new ServiceError('ClusterNotFoundException', 'Cluster not found.');
}
