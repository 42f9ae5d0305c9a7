import type { ContainerDefinition } from '@aws-sdk/client-ecs';
import type { DeployedStack } from './deployment.ts';
import {
  createAttentionFinding,
  createMissingFinding,
  createOkFinding,
  type DoctorFinding,
} from './doctor-check.ts';
import { type LambdaEnvironmentVariables, parseModelProviders } from './function-environments.ts';

const SETTLED = /^(CREATE|UPDATE|IMPORT)_COMPLETE$/;

export function checkStackState(name: string, deployment: DeployedStack | null): DoctorFinding {
  if (!deployment)
    return createAttentionFinding(
      `there is no stack ${name} here`,
      'npx cdk deploy -c assay:alarmEmail=you@example.com',
    );
  const { status } = deployment;
  if (SETTLED.test(status)) return createOkFinding(status);
  return status.endsWith('_IN_PROGRESS')
    ? createAttentionFinding(status, 'Wait for the deployment to end.')
    : createMissingFinding(status, 'Read the events of the stack in CloudFormation, and deploy again.');
}

/** Reads the containers of the current task definitions. */
async function readContainers(deployment: DeployedStack): Promise<ContainerDefinition[]> {
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

/** Reads the images of functions. */
async function readFunctionImages(deployment: DeployedStack): Promise<string[]> {
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

export async function checkContainerImages(deployment: DeployedStack): Promise<DoctorFinding> {
  const { DescribeImagesCommand, ECRClient } = await import('@aws-sdk/client-ecr');
  const client = new ECRClient();
  try {
    const containers = (await readContainers(deployment)).map(({ image = '' }) => image);
    if (containers.length === 0) throw new Error('the stack has no task definitions');
    const all = [...containers, ...(await readFunctionImages(deployment))];
    const absent: string[] = [];
    const elsewhere: string[] = [];
    for (const image of all) {
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
      return createMissingFinding(
        `not in ECR: ${absent.join(', ')}`,
        'Deploy again: the CDK builds and pushes them.',
      );
    if (elsewhere.length > 0)
      return createAttentionFinding(
        `not in ECR, and not checked: ${elsewhere.join(', ')}`,
        'Make sure that Fargate can pull them.',
      );
    return createOkFinding(`${all.length} images`);
  } finally {
    client.destroy();
  }
}

/** A complete ARN of a secret. */
const SECRET_ARN = /arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+/g;

/** Finds the ARNs of secrets in the environment of functions. */
const findSecretArns = (environments: LambdaEnvironmentVariables): string[] =>
  environments.flatMap((each) => Object.values(each).flatMap((value) => value.match(SECRET_ARN) ?? []));

/** Checks that the secrets and parameters of containers and functions have a value. */
export async function checkSecretValues(
  deployment: DeployedStack,
  reading: Promise<LambdaEnvironmentVariables>,
): Promise<DoctorFinding> {
  const [containers, environments] = await Promise.all([readContainers(deployment), reading]);
  const given = Object.values(parseModelProviders(environments)).filter((provider) => provider !== undefined);
  const every = [
    ...findSecretArns(environments),
    ...containers.flatMap(({ secrets: each = [] }) => each.flatMap(({ valueFrom }) => valueFrom ?? [])),
    ...given.flatMap((provider) => (provider.via === 'secret' ? [provider.arn] : [])),
  ];
  const arns = [...new Set(every)];
  const names = given.flatMap((provider) => (provider.via === 'parameter' ? [provider.name] : []));
  const absent = [...(await findAbsentSecrets(arns)), ...(await findAbsentParameters(names))];
  if (absent.length > 0)
    return createMissingFinding(
      `without a value: ${absent.join(', ')}`,
      'Set a value; docs/how-to/deploy.md describes the format.',
    );
  const count = new Set([...arns, ...names]).size;
  return createOkFinding(count === 0 ? 'the deployment uses none' : `${count} with a value`);
}

async function findAbsentSecrets(arns: readonly string[]): Promise<string[]> {
  const { DescribeSecretCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient();
  const absent: string[] = [];
  try {
    for (const SecretId of new Set(arns)) {
      const found = await client.send(new DescribeSecretCommand({ SecretId })).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return null;
        throw error;
      });
      // The value itself is not read: the user of this command may lack that permission.
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

async function findAbsentParameters(names: readonly string[]): Promise<string[]> {
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

export async function checkAlarmSubscriptions(deployment: DeployedStack): Promise<DoctorFinding> {
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
    return createMissingFinding(
      'no one is subscribed to alarms',
      'Deploy with -c assay:alarmEmail=you@example.com, or subscribe to the topic.',
    );
  return pending.length > 0
    ? createAttentionFinding(`not confirmed: ${pending.join(', ')}`, 'Follow the link in the e-mail of SNS.')
    : createOkFinding(all.join(', '));
}

/** Lists tables and buckets that an earlier stack of this name has left behind. */
async function findOrphans(name: string, deployment: DeployedStack | null): Promise<string[]> {
  const [dynamodb, s3] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/client-s3'),
  ]);
  const own = new Set([...(deployment?.resources.values() ?? [])].flat());
  const tables = new dynamodb.DynamoDBClient();
  const buckets = new s3.S3Client();
  const found: string[] = [];
  try {
    for await (const { TableNames = [] } of dynamodb.paginateListTables({ client: tables }, {}))
      found.push(
        ...TableNames.filter((each) => each.startsWith(`${name}-TasksTable`) && !own.has(each)).map(
          (each) => `table ${each}`,
        ),
      );
    const { Buckets = [] } = await buckets.send(new s3.ListBucketsCommand({}));
    const prefix = `${name.toLowerCase()}-storage`;
    found.push(
      ...Buckets.flatMap(({ Name = '' }) =>
        Name.startsWith(prefix) && !own.has(Name) ? [`bucket ${Name}`] : [],
      ),
    );
    return found;
  } finally {
    tables.destroy();
    buckets.destroy();
  }
}

export async function checkOrphans(name: string, deployment: DeployedStack | null): Promise<DoctorFinding> {
  const orphans = await findOrphans(name, deployment);
  return orphans.length === 0
    ? createOkFinding('no earlier stack has left a table or a bucket')
    : createAttentionFinding(
        `left behind by an earlier stack: ${orphans.join(', ')}`,
        'Delete them when nothing in them is needed: aws dynamodb delete-table --table-name …, aws s3 rb --force s3://…',
      );
}

/** @param fixes whether an unprotected table is protected */
export async function checkDeletionProtection(
  { outputs }: DeployedStack,
  fixes: boolean,
): Promise<DoctorFinding> {
  const TableName = outputs['TableName'];
  if (TableName === undefined) throw new Error('the stack has no output TableName');
  if (outputs['Settings']?.split(' ').includes('onDelete'))
    return createOkFinding('off, because the table goes with the stack (assay:onDelete)');
  const sdk = await import('@aws-sdk/client-dynamodb');
  const client = new sdk.DynamoDBClient();
  try {
    const { Table } = await client.send(new sdk.DescribeTableCommand({ TableName }));
    if (Table?.DeletionProtectionEnabled) return createOkFinding(`on for ${TableName}`);
    if (fixes) {
      await client.send(new sdk.UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
      return createOkFinding(`on for ${TableName}, since now`);
    }
    return createAttentionFinding(
      `off for ${TableName}`,
      `aws dynamodb update-table --table-name ${TableName} --deletion-protection-enabled, or \`assay doctor --aws --fix\``,
    );
  } finally {
    client.destroy();
  }
}
