/** Account and region of the embedded stack. The engines have this account number built in. */
export const LOCAL_ACCOUNT_ID = '000000000000';
export const LOCAL_REGION = 'us-east-1';
/**
 * Label of streams in their ARNs. DynamoDB uses the time at which a stream was enabled; this one is fixed so
 * that it survives a restart.
 */
const STREAM_LABEL = '2020-01-01T00:00:00.000';

/** Addresses that the template's resources get at run time. */
export interface ServiceEndpoints {
  /** `http://127.0.0.1:PORT` of SQS; queue URLs begin with it. */
  readonly sqsEndpoint: string;
  /** `http://127.0.0.1:PORT` of the HTTP API. */
  readonly apiEndpoint: string;
  /** `http://127.0.0.1:PORT` of the one function that has a URL. */
  readonly functionUrl: string;
}

export interface ResourceIdentity {
  /** The property with the resource's name. Absent: the logical id is its name. */
  readonly nameProperty?: string;
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:${resource}`;

type Describe = (
  name: string,
  logicalId: string,
  places: ServiceEndpoints,
) => Omit<ResourceIdentity, 'nameProperty'>;

const named = (service: string, prefix: string): Describe => {
  return (name) => ({ ref: name, attributes: { Arn: arn(service, `${prefix}${name}`) } });
};

export const tableArn = (name: string): string => arn('dynamodb', `table/${name}`);
export const streamArn = (tableName: string): string => `${tableArn(tableName)}/stream/${STREAM_LABEL}`;

const table: Describe = (name) => ({
  ref: name,
  attributes: { Arn: tableArn(name), StreamArn: streamArn(name), TableId: name },
});

/** A resource that has only a logical id. */
const anonymous: Describe = (_name, logicalId) => ({ ref: logicalId, attributes: {} });

/** The supported resource types, and what `Ref` and `Fn::GetAtt` on them return. */
const TYPES: Readonly<Record<string, { readonly name?: string; readonly describe: Describe }>> = {
  'AWS::DynamoDB::GlobalTable': { name: 'TableName', describe: table },
  'AWS::DynamoDB::Table': { name: 'TableName', describe: table },
  'AWS::SQS::Queue': {
    name: 'QueueName',
    describe: (name, _id, { sqsEndpoint }) => {
      const url = `${sqsEndpoint}/${LOCAL_ACCOUNT_ID}/${name}`;
      return { ref: url, attributes: { Arn: arn('sqs', name), QueueName: name, QueueUrl: url } };
    },
  },
  'AWS::S3::Bucket': {
    name: 'BucketName',
    describe: (name) => ({ ref: name, attributes: { Arn: `arn:aws:s3:::${name}` } }),
  },
  'AWS::Lambda::Function': { name: 'FunctionName', describe: named('lambda', 'function:') },
  'AWS::Lambda::EventSourceMapping': { describe: anonymous },
  'AWS::Lambda::Url': {
    describe: (_name, logicalId, { functionUrl }) => ({
      ref: logicalId,
      // As on AWS, it ends in a slash.
      attributes: { FunctionUrl: `${functionUrl}/` },
    }),
  },
  'AWS::StepFunctions::StateMachine': {
    name: 'StateMachineName',
    describe: (name) => {
      const Arn = arn('states', `stateMachine:${name}`);
      return { ref: Arn, attributes: { Arn, Name: name } };
    },
  },
  'AWS::ECS::Cluster': { name: 'ClusterName', describe: named('ecs', 'cluster/') },
  'AWS::ECS::TaskDefinition': {
    name: 'Family',
    describe: (name) => {
      const Arn = arn('ecs', `task-definition/${name}:1`);
      return { ref: Arn, attributes: { TaskDefinitionArn: Arn } };
    },
  },
  'AWS::Events::Rule': { name: 'Name', describe: named('events', 'rule/') },
  'AWS::Events::EventBus': {
    name: 'Name',
    describe: (name) => ({ ref: name, attributes: { Arn: arn('events', `event-bus/${name}`), Name: name } }),
  },
  'AWS::SNS::Topic': {
    name: 'TopicName',
    describe: (name) => {
      const TopicArn = arn('sns', name);
      return { ref: TopicArn, attributes: { TopicArn, TopicName: name } };
    },
  },
  'AWS::CloudWatch::Alarm': { name: 'AlarmName', describe: named('cloudwatch', 'alarm:') },
  'AWS::ApiGatewayV2::Api': {
    describe: (_name, logicalId, { apiEndpoint }) => ({
      ref: logicalId,
      attributes: { ApiId: logicalId, ApiEndpoint: apiEndpoint },
    }),
  },
  'AWS::ApiGatewayV2::Authorizer': { describe: anonymous },
  'AWS::ApiGatewayV2::Integration': { describe: anonymous },
  'AWS::ApiGatewayV2::Route': { describe: anonymous },
};

/** Types without an effect on one machine. References to them resolve to a placeholder. */
const PASSED_OVER = [
  /^AWS::(IAM|Logs|KMS|EC2|Glue|Athena|CDK|XRay|ApplicationAutoScaling|SSM|Budgets|LakeFormation)::/,
  /^AWS::CloudWatch::(Dashboard|AnomalyDetector|CompositeAlarm|LogAlarm)$/,
  /^AWS::Lambda::(Permission|LayerVersion|EventInvokeConfig)$/,
  /^AWS::S3::BucketPolicy$/,
  /^AWS::SQS::QueuePolicy$/,
  /^AWS::SNS::(Subscription|TopicPolicy)$/,
  /^AWS::Events::EventBusPolicy$/,
  /^AWS::ECS::(CapacityProvider|ClusterCapacityProviderAssociations)$/,
  /^AWS::ApiGatewayV2::Stage$/,
  /^AWS::ResourceGroups::/,
  /^AWS::CloudFormation::CustomResource$/,
  /^Custom::/,
];

export const isIgnoredResourceType = (type: string): boolean =>
  PASSED_OVER.some((pattern) => pattern.test(type));
export const isSupportedResourceType = (type: string): boolean => Object.hasOwn(TYPES, type);

/** Bucket names are lower case; logical ids are not. */
const fallbackName = (type: string, logicalId: string): string =>
  type === 'AWS::S3::Bucket' ? logicalId.toLowerCase() : logicalId;

/** Describes a resource of a known type. `name` is the resolved name property, if it is set. */
export function describeResourceIdentity(
  type: string,
  logicalId: string,
  name: string | undefined,
  places: ServiceEndpoints,
): ResourceIdentity & { readonly name: string } {
  const known = TYPES[type];
  if (known === undefined) throw new Error(`${logicalId}: ${type} has no identity`);
  const physical = name ?? fallbackName(type, logicalId);
  const described = known.describe(physical, logicalId, places);
  return { ...described, name: physical, ...(known.name === undefined ? {} : { nameProperty: known.name }) };
}

/** Returns the property with the name of resources of this type. */
export const getResourceNameProperty = (type: string): string | undefined => TYPES[type]?.name;
