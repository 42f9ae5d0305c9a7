import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Match } from 'aws-cdk-lib/assertions';
import { type CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import dynalite from 'dynalite';
import { describe, expect, it } from 'vitest';
import { LAMBDA_ENTRY_POINTS } from '../../infra/bundles.ts';
import { DROPPED_LINUX_CAPABILITIES } from '../../infra/container-capabilities.ts';
import { UNAUTHENTICATED_THROTTLE } from '../../infra/throttles.ts';
import { AUTHORIZER_CACHE_SECONDS } from '../../shared/api/api-gateway.ts';
import { WEB_PAGE_PATHS } from '../../shared/api/page-paths.ts';
import { ROUTES, type RouteDefinition, routeKey } from '../../shared/api/routes.ts';
import {
  DELIVERY_LIMIT_SECONDS,
  FUNCTION_ENV_NAMES,
  TABLE_INDEXES,
} from '../../shared/contract/resource-names.ts';
import { PRESIGNED_URL_SECONDS } from '../../shared/store/object-store.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import { task } from '../support/builders.ts';
import { JUDGES } from './judges.ts';
import { FUNCTION_IDS, only, synthesise, synthesiseChecked, text } from './synthesise.ts';

/** A file with an authority that one could have of one's own. */
const pemFile = (): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'assay-ca-')), 'ca.pem');
  writeFileSync(file, rootCertificates[0] ?? '');
  return file;
};

const PAGE_ROUTES = Object.values(WEB_PAGE_PATHS).map((path) => `GET ${path}`);
/** What the rules say of the stack with everything that it can have, and with a queue that breaks some of them. */
function refusal(): string {
  const everything = {
    'assay:network': 'private-nat',
    'assay:alarmEmail': 'ops@example.com',
    'assay:pushScopes': '["https://github.com/acme"]',
    'assay:deliverySecretArn': 'arn:aws:secretsmanager:us-east-1:123456789012:secret:git-AbCdEf',
    'assay:gitSecretArn': 'arn:aws:secretsmanager:us-east-1:123456789012:secret:read-AbCdEf',
    'assay:readScopes': '["https://github.com/acme"]',
    'assay:notifyEmail': 'dev@example.com',
    'assay:caFile': pemFile(),
    'assay:onDelete': 'destroy',
    'assay:judges': JUDGES,
  };
  try {
    synthesiseChecked(everything, (stack) => {
      const queue = new Queue(stack, 'Bad');
      (queue.node.defaultChild as CfnQueue).addPropertyOverride('VisibilityTimout', 30);
    });
  } catch (error) {
    return String(error);
  }
  return '';
}

// First, as it has a resource of every type that the default has: for types that are new to it, the rules are read anew, which takes seconds.
const refused = refusal();
const template = synthesiseChecked();
const ids = (type: string): string[] => Object.keys(template.findResources(type));
const all = (type: string) => Object.entries(template.findResources(type));

describe('the synthesised app', () => {
  it('refuses what breaks a rule of cdk-nag or of CloudFormation, and nothing else in any mode', () => {
    const broken = [...refused.matchAll(/Acknowledge with '[\w-]+::(\S+)'/g)].map(([, rule]) => rule);
    expect(new Set(broken)).toEqual(new Set(['AwsSolutions-SQS3', 'AwsSolutions-SQS4', 'F3002']));
    expect(broken).toHaveLength(3);
  });

  it('tags everything that can be tagged', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      Tags: Match.arrayWith([{ Key: 'service', Value: 'assay' }]),
    });
  });
});

describe('the Tasks table', () => {
  const { Properties: table, DeletionPolicy } = only(template, 'AWS::DynamoDB::GlobalTable');

  it('has a stream with both images, point-in-time recovery, a time to live, and no provisioned capacity', () => {
    expect(table).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
      Replicas: [
        {
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          // CloudFormation could not remove a protected table when the first deployment rolls back.
          DeletionProtectionEnabled: false,
        },
      ],
    });
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('can be created by the embedded engine as it stands', async () => {
    const server = dynalite({ createTableMs: 0 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const client = new DynamoDBClient({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const { BillingMode, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } =
      table as CreateTableCommandInput;
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName: 'tasks',
        BillingMode,
        AttributeDefinitions,
        KeySchema,
        GlobalSecondaryIndexes,
      }),
    );
    client.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(TableDescription?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort()).toEqual([
      'by_deadline',
      'by_queue',
      'by_status',
      'by_wait',
    ]);
  });

  it.each(Object.values(TABLE_INDEXES))(
    'has an index $name whose key is another one for each task',
    ({ name }) => {
      const index = table.GlobalSecondaryIndexes.find(
        (each: { IndexName: string }) => each.IndexName === name,
      );
      const key: string[] = index.KeySchema.map((each: { AttributeName: string }) => each.AttributeName);
      const item = (id: string) => {
        const due = taskToItem(task({ id }));
        const waiting = taskToItem(task({ id, waits_for: 'T0' }, { runner: 'external' }));
        return key.map((attribute) => waiting[attribute] ?? due[attribute]);
      };
      expect(item('T1')).not.toContain(undefined);
      expect(item('T1')).not.toEqual(item('T2'));
    },
  );
});

describe('queues', () => {
  const queues = all('AWS::SQS::Queue');
  const deadLetters = new Set([
    ...queues.flatMap(([, { Properties }]) =>
      Properties?.RedrivePolicy ? [text(Properties.RedrivePolicy.deadLetterTargetArn)] : [],
    ),
    ...[...all('AWS::Lambda::EventSourceMapping'), ...all('AWS::Lambda::EventInvokeConfig')].flatMap(
      ([, { Properties }]) =>
        Properties.DestinationConfig ? [text(Properties.DestinationConfig.OnFailure.Destination)] : [],
    ),
  ]);

  it('are three for agents, by priority, one for gates, and the dead-letter queues', () => {
    const work = queues.filter(([id]) => !deadLetters.has(`<${id}.Arn>`)).map(([id]) => id);
    expect(work).toEqual(
      ['Agents1', 'Agents2', 'Agents3', 'Gates'].map((name) => expect.stringMatching(`^Workforce${name}`)),
    );
  });

  it.each(queues)('%s has a dead-letter queue, or is one with an alarm on it', (id, { Properties }) => {
    if (Properties.RedrivePolicy) return;
    expect(deadLetters).toContain(`<${id}.Arn>`);
    const watched = all('AWS::CloudWatch::Alarm').filter(([, alarm]) =>
      JSON.stringify(alarm['Properties'].Metrics ?? []).includes(`{"Fn::GetAtt":["${id}","QueueName"]}`),
    );
    expect(watched).toHaveLength(1);
  });

  it('give a message back only when its function cannot be at work on it any more', () => {
    const { Timeout } = only(template, 'AWS::Lambda::Function', FUNCTION_IDS.dispatcher).Properties;
    const work = queues.filter(([, { Properties }]) => Properties.RedrivePolicy);
    expect(work.map(([, { Properties }]) => Properties.VisibilityTimeout)).toEqual(
      work.map(() => 6 * Timeout),
    );
  });
});

describe('event sources', () => {
  const mappings = all('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);
  const of = (name: keyof typeof FUNCTION_IDS) =>
    mappings.filter(({ FunctionName }) => text(FunctionName).startsWith(`<${FUNCTION_IDS[name]}`));

  it('feed the dispatcher from all four queues, message by message', () => {
    expect(of('dispatcher')).toHaveLength(4);
    for (const mapping of of('dispatcher'))
      expect(mapping).toMatchObject({ FunctionResponseTypes: ['ReportBatchItemFailures'] });
  });

  it('serve priority 1 with more dispatchers than 2, and 2 with more than 3', () => {
    const [first, second, third] = of('dispatcher').map((each) => each.ScalingConfig.MaximumConcurrency);
    expect(first).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(third);
  });

  it.each([
    ['conductor', ['task', 'request']],
    ['ledger', ['task']],
  ] as const)('feed the %s writes of %j only, and put aside what fails', (name, kinds) => {
    expect(of(name)).toEqual([
      expect.objectContaining({
        EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching('^TasksTable'), 'StreamArn'] },
        FilterCriteria: {
          Filters: [{ Pattern: JSON.stringify({ dynamodb: { Keys: { sk: { S: kinds } } } }) }],
        },
        StartingPosition: 'TRIM_HORIZON',
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumRetryAttempts: expect.any(Number),
        DestinationConfig: expect.anything(),
      }),
    ]);
  });

  it('wake the conductor at once and let the ledger collect', () => {
    expect(of('conductor')[0]?.MaximumBatchingWindowInSeconds).toBeUndefined();
    expect(of('ledger')[0]).toMatchObject({ BatchSize: 500, MaximumBatchingWindowInSeconds: 30 });
  });

  it('start the reconciler every minute and for each box that stopped on the cluster', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      Targets: [Match.objectLike({ Input: '{"kind":"schedule"}' })],
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.ecs'],
        'detail-type': ['ECS Task State Change'],
        detail: { clusterArn: [Match.anyValue()], lastStatus: ['STOPPED'] },
      },
    });
  });
});

it('has machines whose executions are short, and of which what fails is logged, without its data', () => {
  const machines = all('AWS::StepFunctions::StateMachine').map(([, { Properties }]) => Properties);
  expect(machines).toHaveLength(2);
  for (const { StateMachineType, LoggingConfiguration } of machines) {
    expect(StateMachineType).toBe('EXPRESS');
    expect(LoggingConfiguration).toMatchObject({ Level: 'ERROR', IncludeExecutionData: false });
  }
});

describe('the API', () => {
  const routes = all('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties);
  const integrations = template.findResources('AWS::ApiGatewayV2::Integration');

  it('has the routes of the route table, each to its function', () => {
    const functionOf = ({ Target }: { Target: unknown }) => {
      const integration = integrations[text(Target).replace(/^integrations\/<(.+)>$/, '$1')];
      return text(integration?.['Properties'].IntegrationUri);
    };
    const inTemplate = routes
      .filter(({ RouteKey }) => RouteKey !== '$default')
      .map((route) => [route.RouteKey, functionOf(route)]);
    const wanted = [
      ...Object.values(ROUTES).map((route) => [
        routeKey(route),
        expect.stringMatching(`^<${FUNCTION_IDS[route.function]}`),
      ]),
      ...PAGE_ROUTES.map((key) => [key, expect.stringMatching(`^<${FUNCTION_IDS.page}`)]),
    ];
    const byKey = (a: unknown[], b: unknown[]) => String(a[0]).localeCompare(String(b[0]));
    expect(inTemplate.sort(byKey)).toEqual(wanted.sort(byKey));
  });

  it('answers what has no route itself, and asks who calls there too', () => {
    const [only] = routes.filter(({ RouteKey }) => RouteKey === '$default');
    expect(only?.AuthorizationType).toBe('CUSTOM');
    const integration = integrations[text(only?.Target).replace(/^integrations\/<(.+)>$/, '$1')];
    expect(text(integration?.['Properties'].IntegrationUri)).toContain(FUNCTION_IDS['api-read']);
  });

  it.each(Object.values(ROUTES) as RouteDefinition[])(
    'asks who calls $method $path, unless anyone may',
    (route) => {
      const { AuthorizationType } = routes.find(({ RouteKey }) => RouteKey === routeKey(route)) ?? {};
      expect(AuthorizationType).toBe(route.callers.includes('anyone') ? 'NONE' : 'CUSTOM');
    },
  );

  it('gives the page to everybody, at the rate of what needs no token', () => {
    const settings = only(template, 'AWS::ApiGatewayV2::Stage').Properties.RouteSettings;
    for (const key of PAGE_ROUTES) {
      expect(routes.find(({ RouteKey }) => RouteKey === key)?.AuthorizationType).toBe('NONE');
      expect(settings[key].ThrottlingRateLimit).toBe(UNAUTHENTICATED_THROTTLE.rateLimit);
    }
  });

  it('refuses who sends no token, and keeps what was said of one for as long as is written down', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'REQUEST',
      AuthorizerPayloadFormatVersion: '2.0',
      EnableSimpleResponses: true,
      AuthorizerResultTtlInSeconds: AUTHORIZER_CACHE_SECONDS,
      IdentitySource: ['$request.header.Authorization'],
    });
  });

  it('limits the rate and keeps an access log without tokens', () => {
    const { DefaultRouteSettings, AccessLogSettings } = only(template, 'AWS::ApiGatewayV2::Stage').Properties;
    expect(DefaultRouteSettings.ThrottlingRateLimit).toBeGreaterThan(0);
    expect(AccessLogSettings.Format).not.toMatch(/header|authorization|querystring/i);
  });
});

describe('functions', () => {
  it('are those of the bundle list, on Node 24 and ARM, each with a log of its own', () => {
    const optional = ['forge-tell', 'traces', 'notify'];
    expect(ids('AWS::Lambda::Function')).toHaveLength(
      Object.keys(LAMBDA_ENTRY_POINTS).length - optional.length,
    );
    template.allResourcesProperties('AWS::Lambda::Function', {
      Architectures: ['arm64'],
      LoggingConfig: { LogGroup: Match.anyValue() },
    });
    const ofImages = all('AWS::Lambda::Function').filter(([, { Properties }]) => {
      expect(Properties.Runtime ?? Properties.PackageType).toMatch(/^(nodejs24\.x|Image)$/);
      return Properties.Runtime === undefined;
    });
    expect(ofImages.map(([id]) => id)).toEqual([expect.stringMatching('^DeliveryDeliver')]);
  });

  const withOptional = synthesise({
    'assay:forgeSecretArn': 'arn:aws:secretsmanager:us-east-1:123456789012:secret:forge-AbCdEf',
    'assay:forges': '[{"url":"https://github.com/acme","forge":"github"}]',
    'assay:otlpEndpoint': 'https://collector.example/v1/traces',
    'assay:notifySecretArn': 'arn:aws:secretsmanager:us-east-1:123456789012:secret:notify-AbCdEf',
    'assay:notify': '[{"name":"team","kind":"slack"}]',
  });

  it('report to forges, a collector, chats and webhooks only where there are some', () => {
    for (const name of ['forge-tell', 'traces', 'notify'] as const) {
      expect(ids('AWS::Lambda::Function').filter((id) => id.startsWith(FUNCTION_IDS[name]))).toEqual([]);
      only(withOptional, 'AWS::Lambda::Function', FUNCTION_IDS[name]);
    }
  });

  /** Set for each function: no more, and nothing that only the embedded stack sets. */
  const environments: Record<keyof typeof FUNCTION_IDS, (keyof typeof FUNCTION_ENV_NAMES)[]> = {
    'api-authorizer': ['table'],
    'api-submit': [
      'forges',
      'readScopes',
      'table',
      'bucket',
      'tierModels',
      'cascadePolicy',
      'defaultAdapter',
      'agentClis',
      'modelVendors',
      'approvalSettings',
    ],
    'api-work': ['table', 'bucket', 'leaseSeconds', 'tierModels', 'approvalSettings'],
    'api-upload': ['table', 'bucket'],
    'api-evidence': ['table', 'bucket'],
    'api-read': [
      'table',
      'bucket',
      'nudgeThreshold',
      'nudgeMinCompletions',
      'nudgeWindow',
      'nudgeWindowDays',
      'tierModels',
      'cascadePolicy',
    ],
    'api-webhook': [
      'table',
      'tierModels',
      'defaultAdapter',
      'agentClis',
      'modelVendors',
      'forges',
      'forgeSecret',
    ],
    'forge-tell': ['table', 'bucket', 'forges', 'forgeSecret'],
    traces: ['table', 'otlpEndpoint', 'metricsNamespace'],
    notify: ['table', 'apiUrl', 'notify', 'notifyQueue', 'notifySecret'],
    conductor: ['metricsNamespace', 'table', 'cascadeMachine', 'defaultAdapter'],
    ledger: ['eventBus', 'metricsNamespace', 'bucket', 'table', 'tierModels'],
    compactor: ['bucket'],
    resolver: ['imageFamilies', 'minterFunction', 'readScopes', 'table'],
    cascade: [
      'table',
      'tierModels',
      'defaultAdapter',
      'agentClis',
      'modelVendors',
      'cascadePolicy',
      'holdLimit',
    ],
    janitor: ['table', 'bucket', 'knownJudgeModels'],
    dispatcher: [
      'table',
      'bucket',
      'apiUrl',
      'cluster',
      'subnets',
      'securityGroups',
      'assignPublicIp',
      'agentFamily',
      'gatesFamily',
      'deliverFunction',
      'containerCapacity',
      'defaultAdapter',
      'leaseSeconds',
      'tierModels',
      'modelGateway',
      'modelGatewayMeters',
      'knownJudgeModels',
      'minterFunction',
      'readScopes',
      'imageFamilies',
    ],
    deliver: ['table', 'apiUrl', 'deliverySecret', 'minterFunction', 'readScopes'],
    minter: ['table', 'gitSecret'],
    'push-minter': ['table', 'gitSecret'],
    page: [],
    'dead-letters': ['table', 'bucket', 'streamReaders', 'launchQueues', 'metricsNamespace', 'notifyQueue'],
    judge: [
      'table',
      'bucket',
      'judgeModels',
      'approvalSettings',
      'cascadePolicy',
      'metricsNamespace',
      'modelGatewayMeters',
    ],
    models: [
      'keepModelCalls',
      'table',
      'tierModels',
      'modelProviders',
      'maxAttemptUsd',
      'judgeModels',
      'cascadePolicy',
      'metricsNamespace',
    ],
    reconciler: ['table', 'cascadeMachine', 'cluster', 'containerCapacity', 'tierModels', 'cascadePolicy'],
  };
  it.each(Object.entries(environments))('the %s is told what it needs and no more', (name, wanted) => {
    const prefix = FUNCTION_IDS[name as keyof typeof FUNCTION_IDS];
    const { Environment } = only(withOptional, 'AWS::Lambda::Function', prefix).Properties;
    expect(new Set(Object.keys(Environment?.Variables ?? {}))).toEqual(
      new Set(wanted.map((each) => FUNCTION_ENV_NAMES[each])),
    );
  });
});

describe('boxes', () => {
  const definitions = all('AWS::ECS::TaskDefinition').map(([, { Properties }]) => Properties);
  const container = (name: string) =>
    definitions.flatMap((each) => each.ContainerDefinitions).find((each) => each.Name === name);

  it('are an agent and the gates, each in an image of its own', () => {
    expect(definitions.map((each) => each.ContainerDefinitions[0].Name).sort()).toEqual(['agent', 'gates']);
    const images = definitions.map((each) => JSON.stringify(each.ContainerDefinitions[0].Image));
    expect(new Set(images).size).toBe(2);
    for (const each of definitions) expect(each.ContainerDefinitions[0].Command).toBeUndefined();
  });

  it.each(['agent', 'gates'])('the %s box can write to its volumes only and cannot gain rights', (name) => {
    expect(container(name)).toMatchObject({
      ReadonlyRootFilesystem: true,
      LinuxParameters: {
        InitProcessEnabled: true,
        // What tests of the boxes run with.
        Capabilities: { Drop: [...DROPPED_LINUX_CAPABILITIES] },
      },
      StopTimeout: 120,
    });
    for (const needed of ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'])
      expect(DROPPED_LINUX_CAPABILITIES).not.toContain(needed);
    expect(container(name).MountPoints.map((each: { ContainerPath: string }) => each.ContainerPath)).toEqual([
      '/work',
      '/tmp',
    ]);
  });

  it('find nothing about the platform in their environment', () => {
    for (const each of ['agent', 'gates']) expect(container(each).Environment).toBeUndefined();
  });

  it('cannot be reached from outside, and reach HTTPS only', () => {
    const group = only(template, 'AWS::EC2::SecurityGroup').Properties;
    expect(group.SecurityGroupIngress).toBeUndefined();
    expect(ids('AWS::EC2::SecurityGroupIngress')).toEqual([]);
    expect(group.SecurityGroupEgress).toEqual([
      expect.objectContaining({ IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }),
    ]);
  });
});

describe('the function that delivers', () => {
  const { Properties } = only(template, 'AWS::Lambda::Function', 'DeliveryDeliver');

  it('asks for leave at the very address that the stack gives out', () => {
    const { Value } = template.toJSON()['Outputs']['ApiUrl'];
    expect(Properties.Environment.Variables.ASSAY_API_URL).toEqual(Value);
  });

  it('has limits, and room for a repository', () => {
    expect(Properties).toMatchObject({
      Timeout: DELIVERY_LIMIT_SECONDS.run,
      MemorySize: 1_769,
      EphemeralStorage: { Size: 2_048 },
    });
  });

  it('is asked once by Lambda, within the time that its URLs are good for: the task counts its deliveries', () => {
    expect(only(template, 'AWS::Lambda::EventInvokeConfig', 'Delivery').Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: DELIVERY_LIMIT_SECONDS.queue,
      DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    });
    expect(DELIVERY_LIMIT_SECONDS.queue).toBeLessThan(PRESIGNED_URL_SECONDS);
  });
});

describe('the network', () => {
  it('costs nothing while idle by default: public subnets, no NAT gateway', () => {
    expect(ids('AWS::EC2::NatGateway')).toEqual([]);
    const { Variables } = only(template, 'AWS::Lambda::Function', FUNCTION_IDS.dispatcher).Properties
      .Environment;
    expect(Variables[FUNCTION_ENV_NAMES.assignPublicIp]).toBe('true');
    template.allResourcesProperties('AWS::EC2::Subnet', { MapPublicIpOnLaunch: false });
  });

  it('can put the boxes into private subnets behind one NAT gateway', () => {
    const hidden = synthesise({ 'assay:network': 'private-nat' });
    hidden.resourceCountIs('AWS::EC2::NatGateway', 1);
    const { Variables } = only(hidden, 'AWS::Lambda::Function', FUNCTION_IDS.dispatcher).Properties
      .Environment;
    expect(Variables[FUNCTION_ENV_NAMES.assignPublicIp]).toBe('false');
    expect(text(Variables[FUNCTION_ENV_NAMES.subnets])).toMatch(/PrivateSubnet1.*,.*PrivateSubnet2/);
  });
});

describe('storage', () => {
  it('is one bucket that nobody from outside reads and in which working data ends by itself', () => {
    const { Properties } = only(template, 'AWS::S3::Bucket');
    expect(Object.values(Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const days = Object.fromEntries(
      Properties.LifecycleConfiguration.Rules.map((rule: { Prefix?: string; ExpirationInDays?: number }) => [
        rule.Prefix,
        rule.ExpirationInDays,
      ]),
    );
    expect(days).toMatchObject({
      'assignments/': 1,
      'artifacts/': 90,
      'hidden/': 90,
      'evidence/': 90,
      'records/': 400,
    });
  });
});

describe('outputs', () => {
  it.each(['ApiUrl', 'DashboardUrl', 'Bucket', 'TableName'])('name the %s', (name) => {
    expect(Object.keys(template.findOutputs('*'))).toContain(name);
  });
});
