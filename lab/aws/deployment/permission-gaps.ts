import { DescribeRepositoriesCommand, ECRClient } from '@aws-sdk/client-ecr';
import { ECSClient, ListTasksCommand, RunTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { EMULATED_ACCOUNT, EMULATED_REGION } from '../machine/run-environment.ts';
import { BOOTSTRAP_REPOSITORY } from './cdk.ts';
import type { PolicyStatement } from './role-policies.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Physical names that statements are made of. */
export interface DeployedNames {
  readonly cluster: string;
  readonly bucket: string;
  /** ARN of the bus that events go to. */
  readonly bus: string;
}

/** A permission that AWS would see in a statement of ours, or of the CDK's, and the emulator does not. */
export interface PermissionGap {
  readonly name: string;
  /** As the template has it. */
  readonly awsStatement: (deployed: DeployedNames) => PolicyStatement;
  /** As the emulator needs it, for as long as it does. */
  readonly emulatorStatement: (deployed: DeployedNames) => PolicyStatement;
  /** Roles that get it in addition: physical, or the construct of a function of ours. */
  readonly roles: readonly ({ readonly physical: string } | { readonly construct: string })[];
  /** A call that AWS would allow to whom has `asOnAws` only. */
  readonly call: (deployed: DeployedNames, credentials: AwsCredentials) => Promise<unknown>;
}

const clusterArn = ({ cluster }: DeployedNames): string =>
  `arn:aws:ecs:${EMULATED_REGION}:${EMULATED_ACCOUNT}:cluster/${cluster}`;
const onCluster = (deployed: DeployedNames) => ({ ArnEquals: { 'ecs:cluster': clusterArn(deployed) } });
const ecsLack = (
  action: 'RunTask' | 'ListTasks' | 'StopTask',
  why: string,
  construct: string,
  asOnAws: (deployed: DeployedNames) => Omit<PolicyStatement, 'Effect' | 'Action'>,
  command: (deployed: DeployedNames) => RunTaskCommand | ListTasksCommand | StopTaskCommand,
): PermissionGap => ({
  name: `ecs:${action}: ${why}`,
  awsStatement: (deployed) => ({ Effect: 'Allow', Action: `ecs:${action}`, ...asOnAws(deployed) }),
  emulatorStatement: (deployed) => ({
    Effect: 'Allow',
    Action: `ecs:${action}`,
    Resource: clusterArn(deployed),
  }),
  roles: [{ construct }],
  call: (deployed, credentials) => {
    const ecs = new ECSClient({ region: EMULATED_REGION, credentials });
    // The three have the same type of answer only to us.
    return ecs.send(command(deployed) as RunTaskCommand).finally(() => ecs.destroy());
  },
});

export const PERMISSION_GAPS: readonly PermissionGap[] = [
  {
    name: 'ecr:DescribeRepositories: it is judged without the repository that it names',
    awsStatement: () => ({
      Effect: 'Allow',
      Action: 'ecr:DescribeRepositories',
      Resource: `arn:aws:ecr:${EMULATED_REGION}:${EMULATED_ACCOUNT}:repository/${BOOTSTRAP_REPOSITORY}`,
    }),
    emulatorStatement: () => ({ Effect: 'Allow', Action: 'ecr:DescribeRepositories', Resource: '*' }),
    roles: [{ physical: `cdk-hnb659fds-image-publishing-role-${EMULATED_ACCOUNT}-${EMULATED_REGION}` }],
    call: (_, credentials) =>
      new ECRClient({ region: EMULATED_REGION, credentials }).send(
        new DescribeRepositoriesCommand({ repositoryNames: [BOOTSTRAP_REPOSITORY] }),
      ),
  },
  ecsLack(
    'RunTask',
    'it is judged by the cluster, not by the task definition; the key ecs:cluster is not known',
    'DispatcherLaunch',
    (deployed) => ({
      Resource: `arn:aws:ecs:${EMULATED_REGION}:${EMULATED_ACCOUNT}:task-definition/probe:*`,
      Condition: onCluster(deployed),
    }),
    ({ cluster }) => new RunTaskCommand({ cluster, taskDefinition: 'probe' }),
  ),
  ecsLack(
    'ListTasks',
    'the key ecs:cluster is not known',
    'ReconcilerReconcile',
    (deployed) => ({ Resource: '*', Condition: onCluster(deployed) }),
    ({ cluster }) => new ListTasksCommand({ cluster }),
  ),
  ecsLack(
    'StopTask',
    'it is judged by the cluster, not by the task',
    'ReconcilerReconcile',
    ({ cluster }) => ({ Resource: `arn:aws:ecs:${EMULATED_REGION}:${EMULATED_ACCOUNT}:task/${cluster}/*` }),
    ({ cluster }) => new StopTaskCommand({ cluster, task: 'none' }),
  ),
  {
    name: 's3:PutObject: the key s3:if-none-match is not known',
    awsStatement: ({ bucket }) => ({
      Effect: 'Allow',
      Action: 's3:PutObject',
      Resource: `arn:aws:s3:::${bucket}/artifacts/*`,
      Condition: { Null: { 's3:if-none-match': 'false' } },
    }),
    emulatorStatement: ({ bucket }) => ({
      Effect: 'Allow',
      Action: 's3:PutObject',
      Resource: ['hidden', 'artifacts', 'evidence'].map((prefix) => `arn:aws:s3:::${bucket}/${prefix}/*`),
    }),
    roles: ['submit', 'work', 'evidence', 'upload'].map((name) => ({ construct: `Apiapi${name}` })),
    call: ({ bucket }, credentials) =>
      new S3Client({ region: EMULATED_REGION, credentials }).send(
        new PutObjectCommand({ Bucket: bucket, Key: 'artifacts/probe', Body: 'x', IfNoneMatch: '*' }),
      ),
  },
  {
    name: 'events:PutEvents: the key events:source is not known',
    awsStatement: ({ bus }) => ({
      Effect: 'Allow',
      Action: 'events:PutEvents',
      Resource: bus,
      Condition: { StringEquals: { 'events:source': 'probe' } },
    }),
    emulatorStatement: ({ bus }) => ({ Effect: 'Allow', Action: 'events:PutEvents', Resource: bus }),
    roles: [{ construct: 'AnalyticsLedger' }],
    call: ({ bus }, credentials) =>
      new EventBridgeClient({ region: EMULATED_REGION, credentials }).send(
        new PutEventsCommand({
          Entries: [{ EventBusName: bus, Source: 'probe', DetailType: 'probe', Detail: '{}' }],
        }),
      ),
  },
];
