import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { EndpointType, LambdaIntegration, ResponseTransferMode, RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  type IInterfaceVpcEndpoint,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  Peer,
  Port,
  SecurityGroup,
} from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FunctionUrlAuthType, InvokeMode, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FargateNetwork } from './network.ts';

/**
 * Ways of containers to the model gateway: by the URL of its function; by a REST API, where an organisation forbids function
 * URLs; or by a REST API that only an endpoint in the network of the containers reaches. All of them stream answers, which
 * an HTTP API does not.
 */
export const MODEL_ENDPOINTS = ['function-url', 'rest-api', 'private'] as const;
export type ModelEndpointKind = (typeof MODEL_ENDPOINTS)[number];

export interface ModelEndpointProps {
  readonly gateway: LambdaFunction;
  readonly kind: ModelEndpointKind;
  readonly network: FargateNetwork;
  /** Id of an endpoint for execute-api in a network that is not ours. */
  readonly vpcEndpoint?: string | undefined;
}

/** API Gateway waits for so long where the answer is streamed, and else for 29 seconds. */
const LONGEST_ANSWER = Duration.minutes(15);
const STAGE = 'models';

/** The address of the model gateway. It asks for no signature of AWS, because the agent CLIs know none. */
export class ModelEndpoint extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, props: ModelEndpointProps) {
    super(scope, id);
    this.url =
      props.kind === 'function-url'
        ? props.gateway.addFunctionUrl({
            authType: FunctionUrlAuthType.NONE,
            invokeMode: InvokeMode.RESPONSE_STREAM,
          }).url
        : this.restApi(props);
  }

  private restApi({ gateway, kind, network, vpcEndpoint }: ModelEndpointProps): string {
    const endpoint = kind === 'private' ? this.endpoint(network, vpcEndpoint) : undefined;
    const api = new RestApi(this, 'Api', {
      description: 'The model gateway: for containers with the token of an attempt',
      endpointConfiguration: endpoint
        ? { types: [EndpointType.PRIVATE], vpcEndpoints: [endpoint] }
        : { types: [EndpointType.REGIONAL] },
      ...(endpoint && { policy: onlyFrom(endpoint) }),
      // The role for logs is a setting of the whole account, which other APIs may have made.
      cloudWatchRole: false,
      deployOptions: { stageName: STAGE },
    });
    const integration = new LambdaIntegration(gateway, {
      responseTransferMode: ResponseTransferMode.STREAM,
      timeout: LONGEST_ANSWER,
      allowTestInvoke: false,
    });
    // Every request has a path: the root needs no method of its own.
    api.root.addResource('{proxy+}').addMethod('ANY', integration);
    const why = 'Containers present the token of an attempt, which the function checks.';
    Validations.of(api).acknowledge(
      {
        id: 'AwsSolutions-APIG1',
        reason:
          "API Gateway refuses access logs of a REST API where the account has no role for them. The function's log has each request.",
      },
      { id: 'AwsSolutions-APIG2', reason: 'The function checks requests by the protocols of the providers.' },
      {
        id: 'AwsSolutions-APIG3',
        reason: 'A token of a running attempt is needed; others are refused after one read.',
      },
      { id: 'AwsSolutions-APIG4', reason: why },
      { id: 'AwsSolutions-APIG6', reason: 'Execution logs hold headers and bodies: tokens and code.' },
      { id: 'AwsSolutions-COG4', reason: why },
    );
    const host = endpoint ? `${api.restApiId}-${endpoint.vpcEndpointId}` : api.restApiId;
    const { region, urlSuffix } = Stack.of(this);
    return `https://${host}.execute-api.${region}.${urlSuffix}/${STAGE}`;
  }

  /** Makes or finds the endpoint, without private names: they would take the public API of the deployment away from the network. */
  private endpoint(network: FargateNetwork, given: string | undefined): IInterfaceVpcEndpoint {
    if (given !== undefined)
      return InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(this, 'Given', {
        vpcEndpointId: given,
        port: 443,
      });
    const group = new SecurityGroup(this, 'Group', {
      vpc: network.vpc,
      description: 'The model gateway: HTTPS from the containers',
      allowAllOutbound: false,
    });
    for (const [n, from] of network.securityGroupIds.entries())
      group.addIngressRule(Peer.securityGroupId(from), Port.HTTPS, `Containers of security group ${n + 1}`);
    return new InterfaceVpcEndpoint(this, 'Endpoint', {
      vpc: network.vpc,
      service: InterfaceVpcEndpointAwsService.APIGATEWAY,
      subnets: {
        subnets:
          network.vpc.privateSubnets.length > 0 ? network.vpc.privateSubnets : network.vpc.publicSubnets,
      },
      securityGroups: [group],
      privateDnsEnabled: false,
      open: false,
    });
  }
}

/** Lets nothing in but what comes through one endpoint. */
const onlyFrom = (endpoint: IInterfaceVpcEndpoint): PolicyDocument =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        effect: Effect.ALLOW,
        principals: [new AnyPrincipal()],
        actions: ['execute-api:Invoke'],
        resources: ['execute-api:/*'],
        conditions: { StringEquals: { 'aws:SourceVpce': endpoint.vpcEndpointId } },
      }),
    ],
  });
