import { Duration, RemovalPolicy, type Size, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type AssetImageCode,
  type CfnFunction,
  Code,
  type EcrImageCode,
  Handler,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { METRIC_NAMES } from '../shared/contract/resource-names.ts';
import type { BundleDirectories, ServiceFunctionName } from './bundles.ts';
import type { FunctionNetworkSetting } from './existing-network-setting.ts';
import { IMAGE_PLATFORMS } from './image-platforms.ts';
import type { ImageArchitecture } from './images.ts';
import { grantPermission, type IamPermission, InlinePolicyRole } from './permissions.ts';
import type { PrivateCa } from './private-ca.ts';

/** What every construct of the stack takes from the deployment. */
export interface CommonConstructProps {
  readonly bundles: BundleDirectories;
  readonly logRetention: RetentionDays;
  /** Of the table, the bucket and the key; logs always go with the stack. */
  readonly removalPolicy: RemovalPolicy;
  /** Certificate authorities of one's own; absent: the public ones alone. */
  readonly privateCa?: PrivateCa | undefined;
  /** Architecture of containers and of functions from images. */
  readonly architecture: ImageArchitecture;
  /** Build arguments of every image of ours but Lambda's. */
  readonly imageArguments: Readonly<Record<string, string>>;
}

export interface ServiceFunctionProps {
  readonly common: CommonConstructProps;
  /** Names the bundle. */
  readonly name: ServiceFunctionName;
  readonly description: string;
  /** Only what this function needs. */
  readonly environment: Record<string, string>;
  /** Does it call servers that may have a certificate of a private authority? @default false */
  readonly callsOut?: boolean;
  /** @default 30 seconds */
  readonly timeout?: Duration;
  /** What it runs from, in place of its bundle: what calls programs brings them along. It says itself what is started. @default - the bundle */
  readonly image?: FunctionImage | undefined;
  /** What it may write in /tmp. @default 512 MiB */
  readonly disk?: Size | undefined;
  /** MiB; the share of a CPU grows with it. @default 512 */
  readonly memory?: number;
  /** Invocations at a time: so many are kept for it, and it gets no more. @default - what the account has left */
  readonly reservedConcurrency?: number | undefined;
  /** Network that it runs in. @default - none of the account */
  readonly network?: FunctionNetworkSetting | undefined;
}

export type FunctionImage = AssetImageCode | EcrImageCode;

/** A Lambda function with a role of its own that may write its own log and nothing else until it is allowed to. */
export class ServiceFunction extends Construct {
  readonly name: ServiceFunctionName;
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { common, name, description } = props;
    const privateCa = props.callsOut ? common.privateCa : undefined;
    this.name = name;
    this.timeout = props.timeout ?? Duration.seconds(30);
    this.logGroup = new LogGroup(this, 'Log', {
      retention: common.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // A function that survives a failure and answers as if nothing were wrong says so in its log, and here it is heard.
    new MetricFilter(this, 'LoggedErrors', {
      logGroup: this.logGroup,
      filterPattern: FilterPattern.stringValue('$.level', '=', 'ERROR'),
      metricNamespace: Stack.of(this).stackName,
      metricName: METRIC_NAMES.loggedErrors,
      metricValue: '1',
    });
    this.role = new InlinePolicyRole(this, 'Role', 'lambda.amazonaws.com');
    this.logGroup.grantWrite(this.role);
    this.lambda = new LambdaFunction(this, 'Function', {
      description,
      ...(props.image
        ? { code: props.image, handler: Handler.FROM_IMAGE, runtime: Runtime.FROM_IMAGE }
        : {
            code: Code.fromAsset(common.bundles.functionDirectory(name)),
            handler: 'index.handler',
            runtime: Runtime.NODEJS_24_X,
          }),
      // The bundles run on any machine; an image is for one.
      architecture: props.image ? IMAGE_PLATFORMS[common.architecture].lambda : Architecture.ARM_64,
      memorySize: props.memory ?? 512,
      timeout: this.timeout,
      ...(props.disk && { ephemeralStorageSize: props.disk }),
      ...(props.reservedConcurrency && { reservedConcurrentExecutions: props.reservedConcurrency }),
      environment: { ...props.environment, ...privateCa?.environment },
      ...(privateCa && { layers: [privateCa.layer] }),
      role: this.role,
      logGroup: this.logGroup,
    });
    if (props.network) this.placeIn(props.network);
  }

  private placeIn({ subnets, security_groups }: FunctionNetworkSetting): void {
    (this.lambda.node.defaultChild as CfnFunction).vpcConfig = {
      subnetIds: subnets,
      securityGroupIds: security_groups,
    };
    const actions = [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ];
    this.allow({
      actions,
      on: ['*'],
      because:
        'Lambda makes the interfaces of a function in a network; they have no name before they are there.',
    });
    // Lambda itself makes these calls. Those of the code of a function have this key: it could remove any interface of the account.
    // Source: "Giving Lambda functions access to resources in an Amazon VPC", developer guide of Lambda.
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions,
        resources: ['*'],
        conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
      }),
    );
  }

  /** Adds one permission to this function's role. */
  allow(permission: IamPermission): void {
    grantPermission(this.role, permission);
  }
}
