import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeImagesCommand, ECRClient } from '@aws-sdk/client-ecr';
import { DescribeTaskDefinitionCommand, ECSClient } from '@aws-sdk/client-ecs';
import { CreateServiceLinkedRoleCommand, GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  GetAccountSettingsCommand,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { DoctorCheck, DoctorOutcome } from '../../cli/doctor/doctor-check.ts';
import { createTestRepository } from '../support/git-repository.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';
import { assay } from './support.ts';

const sts = mockAwsClient(STSClient);
const cloudformation = mockAwsClient(CloudFormationClient);
const ssm = mockAwsClient(SSMClient);
const quotas = mockAwsClient(ServiceQuotasClient);
const lambda = mockAwsClient(LambdaClient);
const ecs = mockAwsClient(ECSClient);
const ecr = mockAwsClient(ECRClient);
const secrets = mockAwsClient(SecretsManagerClient);
const sns = mockAwsClient(SNSClient);
const iam = mockAwsClient(IAMClient);
const dynamodb = mockAwsClient(DynamoDBClient);
const s3 = mockAwsClient(S3Client);
/** What Bedrock answers to a request for one token. */
const bedrock = vi.fn(async (_url: URL, _init: RequestInit) => new Response('{}'));

const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:push-AbCdEf';
const DELIVERS = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/assay:delivers';
const IMAGE = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/boxes:1';
const named = (name: string, message = name) => Object.assign(new Error(message), { name });
const noStack = () =>
  cloudformation
    .on(DescribeStacksCommand)
    .rejects(named('ValidationError', 'Stack with id Assay does not exist'));

/** An account in which all is well, with the stack. */
beforeEach(() => {
  for (const mock of [sts, cloudformation, ssm, quotas, lambda, ecs, ecr, secrets, sns, iam, dynamodb, s3])
    mock.reset();
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  sts
    .on(GetCallerIdentityCommand)
    .resolves({ Arn: 'arn:aws:iam::123456789012:user/ada', Account: '123456789012' });
  cloudformation.on(DescribeStacksCommand).resolves({
    Stacks: [
      {
        StackName: 'Assay',
        CreationTime: new Date(0),
        StackStatus: 'UPDATE_COMPLETE',
        Outputs: [
          { OutputKey: 'AlarmTopic', OutputValue: 'arn:aws:sns:eu-west-1:123456789012:alarms' },
          { OutputKey: 'Settings', OutputValue: 'vcpus leaseSeconds' },
          { OutputKey: 'TableName', OutputValue: 'Assay-TasksTable1' },
        ],
      },
    ],
  });
  const resource = (ResourceType: string, PhysicalResourceId: string) => ({
    ...{ ResourceType, PhysicalResourceId, LogicalResourceId: PhysicalResourceId },
    ...{ LastUpdatedTimestamp: new Date(0), ResourceStatus: 'CREATE_COMPLETE' as const },
  });
  cloudformation.on(ListStackResourcesCommand).resolves({
    StackResourceSummaries: [
      resource('AWS::ECS::TaskDefinition', 'gates:1'),
      resource('AWS::Lambda::Function', 'gateway'),
      resource('AWS::DynamoDB::GlobalTable', 'Assay-TasksTable1'),
    ],
  });
  ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '30' } });
  quotas.on(GetServiceQuotaCommand).resolves({ Quota: { Value: 100 } });
  lambda.on(GetAccountSettingsCommand).resolves({
    AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 900 },
  });
  lambda.on(GetFunctionConfigurationCommand).resolves({
    Environment: {
      Variables: {
        ASSAY_MODEL_PROVIDERS: JSON.stringify({ anthropic: { via: 'bedrock', endpoint: 'mantle' } }),
      },
    },
  });
  lambda.on(GetFunctionCommand).resolves({ Code: { ImageUri: DELIVERS } });
  ecs.on(DescribeTaskDefinitionCommand).resolves({
    taskDefinition: {
      containerDefinitions: [{ image: IMAGE, secrets: [{ name: 'GIT_CREDENTIAL', valueFrom: SECRET }] }],
    },
  });
  ecr.on(DescribeImagesCommand).resolves({ imageDetails: [{ imageDigest: 'sha256:1' }] });
  secrets.on(DescribeSecretCommand).resolves({ VersionIdsToStages: { one: ['AWSCURRENT'] } });
  sns.on(ListSubscriptionsByTopicCommand).resolves({
    Subscriptions: [
      { Endpoint: 'you@example.com', SubscriptionArn: 'arn:aws:sns:eu-west-1:123456789012:alarms:1' },
    ],
  });
  iam.on(GetRoleCommand).resolves({});
  dynamodb.on(ListTablesCommand).resolves({ TableNames: ['Assay-TasksTable1', 'Other-TasksTable1'] });
  dynamodb.on(DescribeTableCommand).resolves({ Table: { DeletionProtectionEnabled: true } });
  s3.on(ListBucketsCommand).resolves({ Buckets: [{ Name: 'elsewhere' }] });
  bedrock.mockReset().mockImplementation(async () => new Response('{}'));
  vi.stubGlobal('fetch', bedrock);
});

async function examined(): Promise<{ code: number; checks: DoctorCheck[] }> {
  const { code, stdout } = await assay(['doctor', '--aws', '--json']);
  return { code, checks: (JSON.parse(stdout) as { checks: DoctorCheck[] }).checks };
}

test('where all is well it says so, check by check, and ends with 0', async () => {
  const { code, checks } = await examined();
  expect(code).toBe(0);
  expect(checks.map(({ check, outcome, advice }) => [check, outcome, advice])).toEqual(
    [
      ...['credentials', 'bootstrap', 'ecs_role', 'fargate_vcpus', 'lambda_concurrency', 'model_access'],
      ...['orphans', 'stack', 'settings', 'deletion_protection', 'images', 'secrets', 'alarm_subscription'],
    ].map((check) => [check, 'ok', null]),
  );
});

test('each tier of the deployment is asked for one token, signed, and a model that is not offered is named with those that are', async () => {
  lambda.on(GetFunctionConfigurationCommand).resolves({
    Environment: {
      Variables: {
        ASSAY_MODEL_PROVIDERS: JSON.stringify({ anthropic: { via: 'bedrock', geography: 'eu' } }),
      },
    },
  });
  await examined();
  const asked = bedrock.mock.calls.map(([url, { headers, body }]) => ({
    host: url.host,
    fields: JSON.parse(Buffer.from(body as Uint8Array).toString('utf8')) as Record<string, unknown>,
    signature: (headers as Record<string, string>)['authorization'],
  }));
  expect(asked.map(({ fields }) => fields['model'])).toEqual([
    'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    'eu.anthropic.claude-sonnet-5-5',
    'eu.anthropic.claude-opus-5-5',
  ]);
  for (const { host, fields, signature } of asked) {
    expect(host).toBe('bedrock-runtime.eu-west-1.amazonaws.com');
    expect(fields['max_tokens']).toBe(1);
    expect(signature).toMatch(/^AWS4-HMAC-SHA256 Credential=test\/\d{8}\/eu-west-1\/bedrock\//);
  }
  bedrock.mockImplementation(async () => new Response('{}', { status: 404 }));
  expect((await examined()).checks.find(({ check }) => check === 'model_access')).toMatchObject({
    outcome: 'missing',
    detail: expect.stringContaining('is not offered by Bedrock in region eu-west-1; these are'),
  });
});

test('with --fix it creates the role of ECS and protects the table, and without it changes nothing', async () => {
  iam.on(GetRoleCommand).rejects(named('NoSuchEntityException'));
  dynamodb.on(DescribeTableCommand).resolves({ Table: {} });
  const changes = () => [
    ...iam.commandCalls(CreateServiceLinkedRoleCommand),
    ...dynamodb.commandCalls(UpdateTableCommand),
  ];
  await examined();
  expect(changes()).toEqual([]);
  const { code } = await assay(['doctor', '--aws', '--fix', '--json']);
  expect(code).toBe(0);
  expect(changes().map(({ args: [{ input }] }) => input)).toEqual([
    { AWSServiceName: 'ecs.amazonaws.com' },
    { TableName: 'Assay-TasksTable1', DeletionProtectionEnabled: true },
  ]);
});

test('before the deployment only the account is looked at, and what comes next is said', async () => {
  noStack();
  const { code, checks } = await examined();
  expect(code).toBe(1);
  expect(checks.map(({ check }) => check)).not.toContain('images');
  expect(checks.at(-1)).toMatchObject({
    check: 'stack',
    outcome: 'attention',
    advice: expect.stringContaining('npx cdk deploy'),
  });
});

test('without credentials nothing else is looked at', async () => {
  sts.on(GetCallerIdentityCommand).rejects(named('CredentialsProviderError', 'Could not load credentials'));
  const { code, checks } = await examined();
  expect(code).toBe(1);
  expect(checks).toEqual([
    {
      check: 'credentials',
      outcome: 'missing',
      detail: 'Could not load credentials',
      advice: 'Sign in, and set AWS_PROFILE and AWS_REGION.',
    },
  ]);
});

describe('what is not well', () => {
  test.each<[string, () => unknown, DoctorOutcome, RegExp]>([
    [
      'bootstrap',
      () => ssm.on(GetParameterCommand).rejects(named('ParameterNotFound')),
      'missing',
      /cdk bootstrap/,
    ],
    [
      'bootstrap',
      () => ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '5' } }),
      'missing',
      /cdk bootstrap/,
    ],
    [
      'fargate_vcpus',
      () => quotas.on(GetServiceQuotaCommand).resolves({ Quota: { Value: 6 } }),
      'attention',
      /L-3032A538/,
    ],
    [
      'model_access',
      () => bedrock.mockImplementation(async () => new Response('not authorized', { status: 403 })),
      'missing',
      /Model access/,
    ],
    [
      'ecs_role',
      () => iam.on(GetRoleCommand).rejects(named('NoSuchEntityException')),
      'missing',
      /^aws iam create-service-linked-role --aws-service-name ecs\.amazonaws\.com/,
    ],
    [
      'orphans',
      () => s3.on(ListBucketsCommand).resolves({ Buckets: [{ Name: 'assay-storagebucket1-x' }] }),
      'attention',
      /Delete them/,
    ],
    [
      'orphans',
      () =>
        dynamodb.on(ListTablesCommand).resolves({ TableNames: ['Assay-TasksTable1', 'Assay-TasksTable2'] }),
      'attention',
      /Delete them/,
    ],
    [
      'deletion_protection',
      () => dynamodb.on(DescribeTableCommand).resolves({ Table: { DeletionProtectionEnabled: false } }),
      'attention',
      /update-table --table-name Assay-TasksTable1 --deletion-protection-enabled/,
    ],
    [
      'images',
      () => ecr.on(DescribeImagesCommand).rejects(named('ImageNotFoundException')),
      'missing',
      /Deploy again/,
    ],
    ['images', () => ecr.on(DescribeImagesCommand).resolves({ imageDetails: [] }), 'missing', /Deploy again/],
    [
      'images',
      () =>
        ecr
          .on(DescribeImagesCommand, { imageIds: [{ imageTag: 'delivers' }] })
          .rejects(named('ImageNotFoundException')),
      'missing',
      /Deploy again/,
    ],
    [
      'secrets',
      () => secrets.on(DescribeSecretCommand).rejects(named('ResourceNotFoundException')),
      'missing',
      /Set a value/,
    ],
    [
      'secrets',
      () => secrets.on(DescribeSecretCommand).resolves({ VersionIdsToStages: {} }),
      'missing',
      /Set a value/,
    ],
    [
      'alarm_subscription',
      () => sns.on(ListSubscriptionsByTopicCommand).resolves({ Subscriptions: [] }),
      'missing',
      /alarmEmail/,
    ],
    [
      'alarm_subscription',
      () =>
        sns.on(ListSubscriptionsByTopicCommand).resolves({
          Subscriptions: [{ Endpoint: 'a@example.com', SubscriptionArn: 'PendingConfirmation' }],
        }),
      'attention',
      /link in the e-mail/,
    ],
  ])('%s', async (check, make, outcome, advice) => {
    make();
    const { code, checks } = await examined();
    expect(checks.filter((each) => each.outcome !== 'ok')).toEqual([
      { check, outcome, detail: expect.any(String), advice: expect.stringMatching(advice) },
    ]);
    expect(code).toBe(1);
  });

  test.each([
    ['UPDATE_IN_PROGRESS', 'attention'],
    ['UPDATE_ROLLBACK_COMPLETE', 'missing'],
    ['ROLLBACK_FAILED', 'missing'],
  ] as const)('a stack in %s', async (StackStatus, outcome) => {
    cloudformation.on(DescribeStacksCommand).resolves({
      Stacks: [
        {
          StackName: 'Assay',
          CreationTime: new Date(0),
          StackStatus,
          Outputs: [
            { OutputKey: 'AlarmTopic', OutputValue: 'arn:x' },
            { OutputKey: 'Settings', OutputValue: 'none' },
          ],
        },
      ],
    });
    const { checks } = await examined();
    expect(checks.find(({ check }) => check === 'stack')).toMatchObject({ outcome, detail: StackStatus });
  });

  test('few concurrent executions of Lambda can be deployed to, and are named with the request for more', async () => {
    lambda.on(GetAccountSettingsCommand).resolves({
      AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 },
    });
    noStack();
    expect((await examined()).checks.find(({ check }) => check === 'lambda_concurrency')).toMatchObject({
      outcome: 'attention',
      advice: expect.stringContaining('--service-code lambda --quota-code L-B99A9384'),
    });
  });
});

test.each([
  ['bootstrap', () => ssm.on(GetParameterCommand)],
  ['fargate_vcpus', () => quotas.onAnyCommand()],
  ['lambda_concurrency', () => lambda.on(GetAccountSettingsCommand)],
  ['stack', () => cloudformation.onAnyCommand()],
  ['images', () => ecr.onAnyCommand()],
  ['secrets', () => secrets.onAnyCommand()],
  ['alarm_subscription', () => sns.onAnyCommand()],
] as const)('whoever may not look at %s is told that, and never that it is well', async (check, call) => {
  call().rejects(named('AccessDeniedException', 'not authorized'));
  const { code, checks } = await examined();
  expect(code).toBe(1);
  expect(checks.find((each) => each.check === check)).toMatchObject({
    outcome: 'could_not_run',
    detail: 'AccessDeniedException: not authorized',
    advice: expect.stringContaining('an identity that may read this'),
  });
});

const inRoom = (limits: { on_demand: number; spot: number }) => ({
  ASSAY_CONTAINER_CAPACITY: JSON.stringify({
    limits,
    containers: { agent: { cpu: 1_024, pool: 'on_demand' }, gates: { cpu: 1_024, pool: 'spot' } },
  }),
});

test.each([
  ['L-3032A538', 'on demand'],
  ['L-36FBB829', 'on Spot'],
])('the quota %s is looked at by itself: boxes run %s, too', async (QuotaCode, where) => {
  quotas.on(GetServiceQuotaCommand, { ServiceCode: 'fargate', QuotaCode }).resolves({ Quota: { Value: 6 } });
  const { checks } = await examined();
  expect(checks.find(({ check }) => check === 'fargate_vcpus')).toMatchObject({
    outcome: 'attention',
    detail: expect.stringContaining(`6 vCPUs ${where}`),
    advice: expect.stringMatching(new RegExp(`^[^;]*--quota-code ${QuotaCode} --desired-value 100$`)),
  });
});

test('a deployment that was promised more vCPUs than the account has is told so, with what to ask for', async () => {
  lambda
    .on(GetFunctionConfigurationCommand)
    .resolves({ Environment: { Variables: inRoom({ on_demand: 64 * 1_024, spot: 200 * 1_024 }) } });
  const { checks } = await examined();
  expect(checks.find(({ check }) => check === 'fargate_vcpus')).toMatchObject({
    outcome: 'attention',
    detail: '100 vCPUs on demand, Assay uses up to 64; 100 vCPUs on Spot, Assay uses up to 200',
    advice: expect.stringMatching(/^[^;]*L-36FBB829 --desired-value 200$/),
  });
});

test('access is looked at for the models that the deployment was given', async () => {
  lambda.on(GetFunctionConfigurationCommand).resolves({
    Environment: {
      Variables: {
        ASSAY_MODEL_PROVIDERS: JSON.stringify({ anthropic: { via: 'bedrock', endpoint: 'mantle' } }),
        ASSAY_TIER_MODELS: JSON.stringify({ haiku: 'claude-a', sonnet: 'claude-b', opus: 'claude-b' }),
      },
    },
  });
  await examined();
  const models = bedrock.mock.calls.map(
    ([, { body }]) =>
      (JSON.parse(Buffer.from(body as Uint8Array).toString('utf8')) as { model: string }).model,
  );
  expect(models).toEqual(['anthropic.claude-a', 'anthropic.claude-b']);
});

test('each function is asked once, whoever needs to know', async () => {
  await examined();
  expect(lambda.commandCalls(GetFunctionConfigurationCommand)).toHaveLength(1);
});

test('people read a line for each check, with what to do below it', async () => {
  quotas.on(GetServiceQuotaCommand).resolves({ Quota: { Value: 6 } });
  const { stdout, code } = await assay(['doctor', '--aws']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok {14}credentials {9}arn:aws:iam::123456789012:user\/ada/m);
  expect(stdout).toMatch(/^ATTENTION {7}fargate_vcpus {7}6 vCPUs .*\n {36}Request more/m);
});

test('without a place it looks at this machine and folder, and says how to get what is not there', async () => {
  const { dir, write } = createTestRepository({ 'a.txt': 'a' });
  const found = async () => {
    const { stdout } = await assay(['doctor', '--json'], { cwd: dir });
    const { checks } = JSON.parse(stdout) as { checks: DoctorCheck[] };
    return Object.fromEntries(checks.map((each) => [each.check, each]));
  };
  const { git, repository, configuration, ...more } = await found();
  expect([git?.outcome, repository?.outcome]).toEqual(['ok', 'ok']);
  expect(configuration).toMatchObject({
    outcome: 'attention',
    advice: expect.stringContaining('assay init'),
  });
  for (const each of Object.values(more)) expect(each.outcome === 'ok').toBe(each.advice === null);
  write({ 'assay.yaml': 'version: 1\n' });
  expect((await found())['configuration']?.outcome).toBe('ok');
  write({ 'assay.yaml': 'version: one\n' });
  expect((await found())['configuration']?.outcome).toBe('missing');
});

test('a secret that only a function was told of is looked at, too', async () => {
  const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:read-AbCdEf';
  lambda
    .on(GetFunctionConfigurationCommand)
    .resolves({ Environment: { Variables: { ASSAY_GIT_SECRET: JSON.stringify({ via: 'secret', arn }) } } });
  secrets.on(DescribeSecretCommand, { SecretId: arn }).rejects(named('ResourceNotFoundException'));
  const { checks } = await examined();
  const { outcome, detail } = checks.find(({ check }) => check === 'secrets') ?? {};
  expect([outcome, detail]).toEqual(['missing', `without a value: ${arn}`]);
});
