import { type ContainerDefinition, DescribeTaskDefinitionCommand, ECSClient } from '@aws-sdk/client-ecs';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { FARGATE_DEFAULT_CAPABILITIES } from '../../../infra/container-capabilities.ts';
import { EMULATED_REGION } from '../machine/run-environment.ts';
import { withCamelCaseResponses } from './camel-case-client.ts';

/** What of a task definition the emulator does not hand to Docker, so that it is asked for here. */
export interface Confinement {
  readonly entryPoint: readonly string[];
  /** What is left, in setpriv's words. */
  readonly capabilities: string;
  readonly readOnly: boolean;
  /** Paths of the volumes. */
  readonly writable: readonly string[];
  /** NAME=VALUE of the secrets, which the agent of ECS fetches before it starts the container. */
  readonly secrets: readonly string[];
}

/** Reads how a container is confined from the task definition, as Fargate does. */
export async function readConfinement(definition: string, container: string): Promise<Confinement> {
  const ecs = withCamelCaseResponses(new ECSClient({ region: EMULATED_REGION }));
  try {
    const { taskDefinition } = await ecs.send(
      new DescribeTaskDefinitionCommand({ taskDefinition: definition }),
    );
    const found = taskDefinition?.containerDefinitions?.find(({ name }) => name === container);
    if (!found) throw new Error(`${definition} has no container ${container}`);
    return await read(found);
  } finally {
    ecs.destroy();
  }
}

async function read(container: ContainerDefinition): Promise<Confinement> {
  const dropped = new Set(container.linuxParameters?.capabilities?.drop);
  const kept = FARGATE_DEFAULT_CAPABILITIES.filter((name) => !dropped.has(name));
  return {
    entryPoint: container.entryPoint ?? [],
    capabilities: ['-all', ...kept.map((name) => `+${name.toLowerCase()}`)].join(','),
    readOnly: container.readonlyRootFilesystem === true,
    writable: (container.mountPoints ?? []).flatMap(({ containerPath, readOnly }) =>
      containerPath !== undefined && readOnly !== true ? [containerPath] : [],
    ),
    secrets: await Promise.all(
      (container.secrets ?? []).map(async ({ name, valueFrom }) => `${name}=${await secretOf(valueFrom)}`),
    ),
  };
}

async function secretOf(SecretId: string | undefined): Promise<string> {
  const client = new SecretsManagerClient({ region: EMULATED_REGION });
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
  client.destroy();
  return SecretString;
}
