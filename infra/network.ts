import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  type SubnetConfiguration,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ExistingNetworkSetting } from './existing-network-setting.ts';
import { useFargateZones } from './fargate-zones.ts';
import type { CommonConstructProps } from './function.ts';

/**
 * `public-no-ingress`: boxes have a public address and no way in. Costs nothing while idle.
 * `private-nat`: boxes have no public address; one NAT gateway, which costs by the hour.
 * docs/how-to/deploy.md has the prices of both.
 */
export const NETWORK_MODES = ['public-no-ingress', 'private-nat'] as const;
export type NetworkMode = (typeof NETWORK_MODES)[number];

export interface FargateNetworkProps {
  readonly common: CommonConstructProps;
  readonly mode: NetworkMode;
  /** A network that is there already, in place of one of ours; the mode says nothing then. */
  readonly own?: ExistingNetworkSetting | undefined;
  /** Availability zones of ours. @default - two of the Region that have Fargate */
  readonly zones?: readonly string[] | undefined;
}

const PUBLIC: SubnetConfiguration = {
  name: 'Public',
  subnetType: SubnetType.PUBLIC,
  cidrMask: 20,
  // The dispatcher asks for an address where a box needs one; nothing else gets one by accident.
  mapPublicIpOnLaunch: false,
};
const PRIVATE: SubnetConfiguration = {
  name: 'Private',
  subnetType: SubnetType.PRIVATE_WITH_EGRESS,
  cidrMask: 20,
};

/** Where the boxes run: out to HTTPS, and nothing in. */
export class FargateNetwork extends Construct {
  readonly vpc: IVpc;
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
  readonly assignPublicIp: boolean;

  constructor(scope: Construct, id: string, props: FargateNetworkProps) {
    super(scope, id);
    const { own } = props;
    if (own) {
      // By its ids alone: a look-up would need the account while the template is made.
      this.vpc = Vpc.fromVpcAttributes(this, 'Vpc', { vpcId: own.vpc, availabilityZones: ['unknown'] });
      this.subnetIds = own.subnets;
      this.assignPublicIp = own.public_addresses;
    } else {
      const isPrivate = props.mode === 'private-nat';
      const vpc = this.make(props, isPrivate);
      this.vpc = vpc;
      this.subnetIds = (isPrivate ? vpc.privateSubnets : vpc.publicSubnets).map((subnet) => subnet.subnetId);
      this.assignPublicIp = !isPrivate;
    }
    this.securityGroupIds = own?.security_groups ?? [this.httpsOut()];
  }

  private make({ common, zones }: FargateNetworkProps, isPrivate: boolean): Vpc {
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.0.0.0/16'),
      ...(zones ? { availabilityZones: [...zones] } : { maxAzs: 2 }),
      natGateways: isPrivate ? 1 : 0,
      subnetConfiguration: isPrivate ? [PUBLIC, PRIVATE] : [PUBLIC],
      // Closing the default group takes a custom resource that may change security groups; nothing uses that group.
      restrictDefaultSecurityGroup: false,
      // Free of charge: presigned uploads and image layers need not go through a NAT gateway.
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
      flowLogs: {
        All: {
          destination: this.flowLog(common),
        },
      },
    });
    if (!zones) useFargateZones(this, Stack.of(this).region, [vpc.publicSubnets, vpc.privateSubnets]);
    return vpc;
  }

  /** A log group, and a role that holds its permissions itself: a policy beside it would be one resource more. */
  private flowLog({ logRetention }: CommonConstructProps): FlowLogDestination {
    const log = new LogGroup(this, 'FlowLog', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const permission = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:DescribeLogStreams', 'logs:PutLogEvents'],
      resources: [log.logGroupArn],
    });
    const role = new Role(this, 'FlowLogRole', {
      assumedBy: new ServicePrincipal('vpc-flow-logs.amazonaws.com'),
      inlinePolicies: { Permissions: new PolicyDocument({ statements: [permission] }) },
    });
    return FlowLogDestination.toCloudWatchLogs(log, role.withoutPolicyUpdates());
  }

  private httpsOut(): string {
    const group = new SecurityGroup(this, 'Boxes', {
      vpc: this.vpc,
      description: 'Boxes: HTTPS out, nothing in',
      allowAllOutbound: false,
    });
    group.addEgressRule(
      Peer.anyIpv4(),
      Port.HTTPS,
      'The API, presigned URLs, git, package registries and model providers',
    );
    return group.securityGroupId;
  }
}
