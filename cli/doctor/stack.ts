import type { ContainerDefinition } from '@aws-sdk/client-ecs';
import { attention, type Finding, missing, ok } from './check.ts';
import { providersOf, type Told } from './deployed.ts';
import type { Deployment } from './deployment.ts';

const SETTLED = /^(CREATE|UPDATE|IMPORT)_COMPLETE$/;

export function state(name: string, deployment: Deployment | null): Finding {
  if (!deployment)
    return attention(`there is no stack ${name} here`, 'npx cdk deploy -c assay:alarmEmail=you@example.com');
  const { status } = deployment;
  if (SETTLED.test(status)) return ok(status);
  return status.endsWith('_IN_PROGRESS')
    ? attention(status, 'Wait for the deployment to end.')
    : missing(status, 'Read the events of the stack in CloudFormation, and deploy again.');
}

/** Containers of the boxes, as they would be started now. */
export async function containersOf(deployment: Deployment): Promise<ContainerDefinition[]> {
  const { DescribeTaskDefinitionCommand, ECSClient } = await import('@aws-sdk/client-ecs');
  const client = new ECSClient();
  try {
    const families = deployment.resources.get('AWS::ECS::TaskDefinition') ?? [];
    const described = await Promise.all(
      families.map((taskDefinition) => client.send(new DescribeTaskDefinitionCommand({ taskDefinition }))),
    );
    return described.flatMap(({ taskDefinition }) => taskDefinition?.containerDefinitions ?? []);
  } finally {
    client.destroy();
  }
}

/** `123456789012.dkr.ecr.eu-west-1.amazonaws.com/name:tag`, or `@digest` */
const IMAGE = /^(\d{12})\.dkr\.ecr\.[\w-]+\.amazonaws\.com(?:\.cn)?\/([^:@]+)(?::([^@]+))?(?:@(.+))?$/;

/** Images that functions run from. */
async function imagesOfFunctions(deployment: Deployment): Promise<string[]> {
  const { GetFunctionCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient();
  try {
    const found: string[] = [];
    for (const FunctionName of deployment.resources.get('AWS::Lambda::Function') ?? []) {
      const { Code } = await client.send(new GetFunctionCommand({ FunctionName }));
      if (Code?.ImageUri) found.push(Code.ImageUri);
    }
    return found;
  } finally {
    client.destroy();
  }
}

export async function images(deployment: Deployment): Promise<Finding> {
  const { DescribeImagesCommand, ECRClient } = await import('@aws-sdk/client-ecr');
  const client = new ECRClient();
  try {
    const containers = (await containersOf(deployment)).map(({ image = '' }) => image);
    if (containers.length === 0) throw new Error('the stack has no task definitions');
    const named = [...containers, ...(await imagesOfFunctions(deployment))];
    const absent: string[] = [];
    const elsewhere: string[] = [];
    for (const image of named) {
      const [, registryId, repositoryName, imageTag, imageDigest] = IMAGE.exec(image) ?? [];
      if (repositoryName === undefined) elsewhere.push(image);
      else {
        const imageIds = [imageDigest === undefined ? { imageTag } : { imageDigest }];
        const found = await client
          .send(new DescribeImagesCommand({ registryId, repositoryName, imageIds }))
          .catch((error: unknown) => {
            if (error instanceof Error && /^(ImageNotFound|RepositoryNotFound)Exception$/.test(error.name))
              return null;
            throw error;
          });
        if (!found?.imageDetails?.length) absent.push(image);
      }
    }
    if (absent.length > 0)
      return missing(`not in ECR: ${absent.join(', ')}`, 'Deploy again: the CDK builds and pushes them.');
    if (elsewhere.length > 0)
      return attention(
        `not in ECR, and not looked at: ${elsewhere.join(', ')}`,
        'See to it that Fargate can pull them.',
      );
    return ok(`${named.length} images`);
  } finally {
    client.destroy();
  }
}

/** A complete ARN, as settings have it. */
const SECRET_ARN = /arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+/g;

/** Secrets that functions were told of: of repositories, forges, judges and providers. */
const secretsIn = (told: Told): string[] =>
  told.flatMap((each) => Object.values(each).flatMap((value) => value.match(SECRET_ARN) ?? []));

/** Secrets and parameters that boxes and functions read. */
export async function secrets(deployment: Deployment, asked: Promise<Told>): Promise<Finding> {
  const [containers, told] = await Promise.all([containersOf(deployment), asked]);
  const given = Object.values(providersOf(told)).filter((provider) => provider !== undefined);
  const every = [
    ...secretsIn(told),
    ...containers.flatMap(({ secrets: each = [] }) => each.flatMap(({ valueFrom }) => valueFrom ?? [])),
    ...given.flatMap((provider) => (provider.via === 'secret' ? [provider.arn] : [])),
  ];
  const arns = [...new Set(every)];
  const names = given.flatMap((provider) => (provider.via === 'parameter' ? [provider.name] : []));
  const absent = [...(await absentSecrets(arns)), ...(await absentParameters(names))];
  if (absent.length > 0)
    return missing(`without a value: ${absent.join(', ')}`, 'Put a value in; docs/deploy.md has the format.');
  const count = new Set([...arns, ...names]).size;
  return ok(count === 0 ? 'the deployment names none' : `${count} with a value`);
}

async function absentSecrets(arns: readonly string[]): Promise<string[]> {
  const { DescribeSecretCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient();
  const absent: string[] = [];
  try {
    for (const SecretId of new Set(arns)) {
      const found = await client.send(new DescribeSecretCommand({ SecretId })).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return null;
        throw error;
      });
      // The value itself is not asked for: whoever runs this need not be able to read it.
      const current = Object.values(found?.VersionIdsToStages ?? {})
        .flat()
        .includes('AWSCURRENT');
      if (!current || found?.DeletedDate) absent.push(SecretId);
    }
    return absent;
  } finally {
    client.destroy();
  }
}

async function absentParameters(names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const { DescribeParametersCommand, SSMClient } = await import('@aws-sdk/client-ssm');
  const client = new SSMClient();
  try {
    const { Parameters = [] } = await client.send(
      new DescribeParametersCommand({ ParameterFilters: [{ Key: 'Name', Values: [...names] }] }),
    );
    return names.filter((name) => !Parameters.some(({ Name }) => Name === name));
  } finally {
    client.destroy();
  }
}

export async function subscriptions(deployment: Deployment): Promise<Finding> {
  const { paginateListSubscriptionsByTopic, SNSClient } = await import('@aws-sdk/client-sns');
  const TopicArn = deployment.outputs['AlarmTopic'];
  if (TopicArn === undefined) throw new Error('the stack has no output AlarmTopic');
  const client = new SNSClient();
  const all: string[] = [];
  const pending: string[] = [];
  try {
    for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
      for (const { Endpoint = '', SubscriptionArn } of Subscriptions) {
        all.push(Endpoint);
        if (SubscriptionArn === 'PendingConfirmation') pending.push(Endpoint);
      }
  } finally {
    client.destroy();
  }
  if (all.length === 0)
    return missing(
      'nobody hears of alarms',
      'Deploy with -c assay:alarmEmail=you@example.com, or subscribe to the topic.',
    );
  return pending.length > 0
    ? attention(`not confirmed: ${pending.join(', ')}`, 'Follow the link in the mail of SNS.')
    : ok(all.join(', '));
}
