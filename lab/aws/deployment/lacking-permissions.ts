import { DescribeRepositoriesCommand, ECRClient } from '@aws-sdk/client-ecr';
import { ECSClient, ListTasksCommand, RunTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ACCOUNT, REGION } from '../machine/names.ts';
import { BOOTSTRAP_REPOSITORY } from './cdk.ts';
import type { Statement } from './roles.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Physical names that statements are made of. */
export interface Deployed {
  readonly cluster: string;
  readonly bucket: string;
  /** ARN of the bus that events go to. */
  readonly bus: string;
}

/** A permission that AWS would see in a statement of ours, or of the CDK's, and the emulator does not. */
export interface LackingPermission {
  readonly name: string;
  /** As the template has it. */
  readonly asOnAws: (deployed: Deployed) => Statement;
  /** As the emulator needs it, for as long as it does. */
  readonly asHere: (deployed: Deployed) => Statement;
  /** Roles that get it in addition: physical, or the construct of a function of ours. */
  readonly roles: readonly ({ readonly physical: string } | { readonly construct: string })[];
  /** A call that AWS would allow to whom has `asOnAws` only. */
  readonly call: (deployed: Deployed, credentials: Credentials) => Promise<unknown>;
}

const clusterArn = ({ cluster }: Deployed): string => `arn:aws:ecs:${REGION}:${ACCOUNT}:cluster/${cluster}`;
const onCluster = (deployed: Deployed) => ({ ArnEquals: { 'ecs:cluster': clusterArn(deployed) } });
const ecsLack = (
  action: 'RunTask' | 'ListTasks' | 'StopTask',
  why: string,
  construct: string,
  asOnAws: (deployed: Deployed) => Omit<Statement, 'Effect' | 'Action'>,
  command: (deployed: Deployed) => RunTaskCommand | ListTasksCommand | StopTaskCommand,
): LackingPermission => ({
  name: `ecs:${action}: ${why}`,
  asOnAws: (deployed) => ({ Effect: 'Allow', Action: `ecs:${action}`, ...asOnAws(deployed) }),
  asHere: (deployed) => ({ Effect: 'Allow', Action: `ecs:${action}`, Resource: clusterArn(deployed) }),
  roles: [{ construct }],
  call: (deployed, credentials) => {
    const ecs = new ECSClient({ region: REGION, credentials });
    // The three have the same type of answer only to us.
    return ecs.send(command(deployed) as RunTaskCommand).finally(() => ecs.destroy());
  },
});

export const LACKING_PERMISSIONS: readonly LackingPermission[] = [
  {
    name: 'ecr:DescribeRepositories: it is judged without the repository that it names',
    asOnAws: () => ({
      Effect: 'Allow',
      Action: 'ecr:DescribeRepositories',
      Resource: `arn:aws:ecr:${REGION}:${ACCOUNT}:repository/${BOOTSTRAP_REPOSITORY}`,
    }),
    asHere: () => ({ Effect: 'Allow', Action: 'ecr:DescribeRepositories', Resource: '*' }),
    roles: [{ physical: `cdk-hnb659fds-image-publishing-role-${ACCOUNT}-${REGION}` }],
    call: (_, credentials) =>
      new ECRClient({ region: REGION, credentials }).send(
        new DescribeRepositoriesCommand({ repositoryNames: [BOOTSTRAP_REPOSITORY] }),
      ),
  },
  ecsLack(
    'RunTask',
    'it is judged by the cluster, not by the task definition; the key ecs:cluster is not known',
    'DispatcherLaunch',
    (deployed) => ({
      Resource: `arn:aws:ecs:${REGION}:${ACCOUNT}:task-definition/probe:*`,
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
    ({ cluster }) => ({ Resource: `arn:aws:ecs:${REGION}:${ACCOUNT}:task/${cluster}/*` }),
    ({ cluster }) => new StopTaskCommand({ cluster, task: 'none' }),
  ),
  {
    name: 's3:PutObject: the key s3:if-none-match is not known',
    asOnAws: ({ bucket }) => ({
      Effect: 'Allow',
      Action: 's3:PutObject',
      Resource: `arn:aws:s3:::${bucket}/artifacts/*`,
      Condition: { Null: { 's3:if-none-match': 'false' } },
    }),
    asHere: ({ bucket }) => ({
      Effect: 'Allow',
      Action: 's3:PutObject',
      Resource: ['hidden', 'artifacts', 'evidence'].map((prefix) => `arn:aws:s3:::${bucket}/${prefix}/*`),
    }),
    roles: ['submit', 'work', 'evidence', 'upload'].map((name) => ({ construct: `Apiapi${name}` })),
    call: ({ bucket }, credentials) =>
      new S3Client({ region: REGION, credentials }).send(
        new PutObjectCommand({ Bucket: bucket, Key: 'artifacts/probe', Body: 'x', IfNoneMatch: '*' }),
      ),
  },
  {
    name: 'events:PutEvents: the key events:source is not known',
    asOnAws: ({ bus }) => ({
      Effect: 'Allow',
      Action: 'events:PutEvents',
      Resource: bus,
      Condition: { StringEquals: { 'events:source': 'probe' } },
    }),
    asHere: ({ bus }) => ({ Effect: 'Allow', Action: 'events:PutEvents', Resource: bus }),
    roles: [{ construct: 'AnalyticsLedger' }],
    call: ({ bus }, credentials) =>
      new EventBridgeClient({ region: REGION, credentials }).send(
        new PutEventsCommand({
          Entries: [{ EventBusName: bus, Source: 'probe', DetailType: 'probe', Detail: '{}' }],
        }),
      ),
  },
];
