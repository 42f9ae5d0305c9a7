/** Resource of a CloudFormation template. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
}
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly [section: string]: unknown;
}

/** What moto's CloudFormation cannot make and AWS makes. */
export interface MotoGap {
  readonly name: string;
  readonly matches: (resource: Resource) => boolean;
  /** What takes its place. @default - it is left out, and references to it become a text */
  readonly replace?: (resource: Resource) => Resource;
  /** Resource `It`, and what it refers to. Nothing in it is Assay's: that moto does not make it is moto's gap. */
  readonly example: Readonly<Record<string, Resource>>;
}

const ACCOUNT = '123456789012';
const arn = (service: string, name: string): string => `arn:aws:${service}:us-east-1:${ACCOUNT}:${name}`;
const STATEMENT = { Effect: 'Allow', Principal: { AWS: ACCOUNT }, Resource: '*' };
const policy = (action: string) => ({
  Version: '2012-10-17',
  Statement: [{ ...STATEMENT, Action: action }],
});

/** A type that moto does not know: it leaves such resources out without an error. */
const unknown = (
  Type: string,
  Properties: Resource['Properties'],
  more: MotoGap['example'] = {},
): MotoGap => ({
  name: `no ${Type}`,
  matches: (resource) => resource.Type === Type,
  example: { ...more, It: { Type, ...(Properties && { Properties }) } },
});

const KEY = { AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }] };
const TABLE = {
  ...KEY,
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};
const API: Resource = { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'probe', ProtocolType: 'HTTP' } };
const ApiId = { Ref: 'Api' };

export const MOTO_GAPS: readonly MotoGap[] = [
  unknown('AWS::ApiGatewayV2::Api', API.Properties),
  unknown('AWS::ApiGatewayV2::Authorizer', { ApiId, Name: 'probe', AuthorizerType: 'JWT' }, { Api: API }),
  unknown('AWS::ApiGatewayV2::Integration', { ApiId, IntegrationType: 'HTTP_PROXY' }, { Api: API }),
  unknown('AWS::ApiGatewayV2::Route', { ApiId, RouteKey: 'GET /' }, { Api: API }),
  unknown('AWS::ApiGatewayV2::Stage', { ApiId, StageName: '$default' }, { Api: API }),
  unknown('AWS::Athena::NamedQuery', { Database: 'default', QueryString: 'SELECT 1' }),
  unknown('AWS::Athena::WorkGroup', { Name: 'probe' }),
  unknown('AWS::CloudWatch::Alarm', {
    ...{ Namespace: 'Probe', MetricName: 'One', Statistic: 'Sum', Period: 60, EvaluationPeriods: 1 },
    ...{ Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
  }),
  unknown('AWS::ECS::ClusterCapacityProviderAssociations', {
    ...{ Cluster: 'default', CapacityProviders: ['FARGATE'], DefaultCapacityProviderStrategy: [] },
  }),
  unknown('AWS::Glue::Database', { CatalogId: ACCOUNT, DatabaseInput: { Name: 'probe' } }),
  unknown('AWS::Glue::Table', {
    ...{ CatalogId: ACCOUNT, DatabaseName: 'probe', TableInput: { Name: 'probe' } },
  }),
  unknown('AWS::Lambda::EventInvokeConfig', { FunctionName: 'probe', Qualifier: '$LATEST' }),
  unknown('AWS::Lambda::Url', { TargetFunctionArn: arn('lambda', 'function:probe'), AuthType: 'AWS_IAM' }),
  unknown('AWS::Logs::MetricFilter', {
    ...{ LogGroupName: 'probe', FilterPattern: '' },
    MetricTransformations: [{ MetricNamespace: 'Probe', MetricName: 'One', MetricValue: '1' }],
  }),
  unknown('AWS::S3::BucketPolicy', { Bucket: 'probe', PolicyDocument: policy('s3:GetObject') }),
  unknown('AWS::SNS::TopicPolicy', { Topics: [arn('sns', 'probe')], PolicyDocument: policy('sns:Publish') }),
  unknown('AWS::SQS::QueuePolicy', {
    ...{ Queues: [`https://sqs.us-east-1.amazonaws.com/${ACCOUNT}/probe`] },
    PolicyDocument: policy('sqs:SendMessage'),
  }),
  {
    ...unknown('AWS::DynamoDB::GlobalTable', { ...TABLE, Replicas: [{ Region: 'us-east-1' }] }),
    // A table of one region has the same properties, but those of its replicas.
    replace: ({ Properties: { Replicas: _, ...properties } = {} }) => ({
      Type: 'AWS::DynamoDB::Table',
      Properties: properties,
    }),
  },
  {
    name: 'no KMS keys with tags',
    matches: ({ Type, Properties }) => Type === 'AWS::KMS::Key' && Properties?.['Tags'] !== undefined,
    replace: ({ Properties: { Tags: _, ...properties } = {}, ...resource }) => ({
      ...resource,
      Properties: properties,
    }),
    example: {
      It: {
        Type: 'AWS::KMS::Key',
        Properties: { KeyPolicy: policy('kms:*'), Tags: [{ Key: 'a', Value: 'b' }] },
      },
    },
  },
  {
    name: 'no rules on a bus of the same stack',
    matches: ({ Type, Properties }) =>
      Type === 'AWS::Events::Rule' && typeof Properties?.['EventBusName'] === 'object',
    replace: ({ Properties: { EventBusName: _, ...properties } = {}, ...resource }) => ({
      ...resource,
      Properties: properties,
    }),
    example: {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'probe' } },
      It: {
        Type: 'AWS::Events::Rule',
        Properties: { EventBusName: { Ref: 'Bus' }, EventPattern: { source: ['probe'] }, Targets: [] },
      },
    },
  },
];

/** Returns true if a value refers to one of the resources. */
const refersTo = (value: Readonly<Record<string, unknown>>, gone: ReadonlySet<string>): boolean => {
  const attribute = value['Fn::GetAtt'];
  const name = value['Ref'] ?? (Array.isArray(attribute) ? attribute[0] : `${attribute}`.split('.')[0]);
  return typeof name === 'string' && gone.has(name);
};

function withoutReferences(value: unknown, gone: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, gone));
  if (typeof value !== 'object' || value === null) return value;
  if (refersTo(value as Record<string, unknown>, gone)) return 'left-out';
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) =>
      name === 'DependsOn'
        ? [name, [each].flat().filter((id) => !gone.has(id as string))]
        : [name, withoutReferences(each, gone)],
    ),
  );
}

/** Returns a template that moto can make, and the logical ids of what each gap leaves out or replaces. */
export function adaptTemplate(
  { Resources, ...rest }: Template,
  gaps: readonly MotoGap[] = MOTO_GAPS,
): {
  readonly template: Template;
  readonly leftOut: readonly string[];
  readonly byGap: ReadonlyMap<string, number>;
} {
  const kept: Record<string, Resource> = {};
  const leftOut: string[] = [];
  const byGap = new Map(gaps.map(({ name }) => [name, 0]));
  for (const [id, resource] of Object.entries(Resources)) {
    const gap = gaps.find(({ matches }) => matches(resource));
    if (gap !== undefined) byGap.set(gap.name, (byGap.get(gap.name) ?? 0) + 1);
    if (gap === undefined) kept[id] = resource;
    else if (gap.replace !== undefined) kept[id] = gap.replace(resource);
    else leftOut.push(id);
  }
  const template = withoutReferences({ ...rest, Resources: kept }, new Set(leftOut)) as Template;
  return { template, leftOut, byGap };
}
