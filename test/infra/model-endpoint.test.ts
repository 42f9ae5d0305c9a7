import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { rolesOf } from './grants.ts';
import { only, type Properties, synthesise, synthesiseChecked, text } from './synthesise.ts';

const gatewayUrl = (template: ReturnType<typeof synthesise>): string =>
  text(
    only(template, 'AWS::Lambda::Function', 'DispatcherLaunch').Properties['Environment'].Variables
      .ASSAY_MODEL_GATEWAY,
  );
const MODEL_VPC = {
  'assay:modelVpc': '{"subnets":["subnet-12345678"],"security_groups":["sg-12345678"]}',
};
const OWN_VPC = { 'assay:vpc': '{"vpc":"vpc-12345678","subnets":["subnet-12345678"]}' };

describe('the endpoint of the model gateway', () => {
  it('is the URL of its function by default', () => {
    const template = synthesise();
    template.resourceCountIs('AWS::Lambda::Url', 1);
    template.resourceCountIs('AWS::ApiGateway::RestApi', 0);
  });

  it.each(['rest-api', 'private'])(
    'is a REST API that streams where it is %s, and no function has a URL',
    (kind) => {
      const template = synthesiseChecked({ 'assay:modelEndpoint': kind });
      template.resourceCountIs('AWS::Lambda::Url', 0);
      const { Integration } = only(template, 'AWS::ApiGateway::Method', 'ModelsEndpointApiproxy').Properties;
      expect(Integration).toMatchObject({ ResponseTransferMode: 'STREAM', TimeoutInMillis: 900_000 });
      expect(text(Integration.Uri)).toMatch(/\/response-streaming-invocations$/);
      expect(gatewayUrl(template)).toMatch(/^https:\/\/.*\.execute-api\..*\/models$/);
      // Access logs would be refused in an account whose API Gateway has no role for CloudWatch.
      expect(only(template, 'AWS::ApiGateway::Stage').Properties).not.toHaveProperty('AccessLogSetting');
    },
  );

  it('is reached through one endpoint in the network of the containers where it is private', () => {
    const template = synthesise({ 'assay:modelEndpoint': 'private' });
    const { Policy, EndpointConfiguration } = only(template, 'AWS::ApiGateway::RestApi').Properties;
    expect(EndpointConfiguration.Types).toEqual(['PRIVATE']);
    const [statement] = Policy.Statement as Properties[];
    expect(statement?.['Condition'].StringEquals['aws:SourceVpce']).toEqual(
      EndpointConfiguration.VpcEndpointIds[0],
    );
    // Private names would take the public API of the deployment away from the containers.
    const endpoints = Object.values(template.findResources('AWS::EC2::VPCEndpoint')).map(
      ({ Properties }) => Properties,
    );
    const own = endpoints.find(({ VpcEndpointType }) => VpcEndpointType === 'Interface');
    expect(own?.PrivateDnsEnabled).toBe(false);
  });

  it('takes the endpoint of a network that is not ours', () => {
    const template = synthesise({
      ...OWN_VPC,
      'assay:modelEndpoint': 'private',
      'assay:modelVpcEndpoint': 'vpce-12345678',
    });
    template.resourceCountIs('AWS::EC2::VPCEndpoint', 0);
    expect(gatewayUrl(template)).toContain('-vpce-12345678.execute-api.');
  });

  it("lets the function run in a network, where models of one's own can be reached", () => {
    const template = synthesiseChecked({ 'assay:modelEndpoint': 'rest-api', ...MODEL_VPC });
    expect(only(template, 'AWS::Lambda::Function', 'ModelsGateway').Properties['VpcConfig']).toEqual({
      SubnetIds: ['subnet-12345678'],
      SecurityGroupIds: ['sg-12345678'],
    });
  });

  it('adds to the role of the function in a network what Lambda needs for its interfaces, and to no other role', () => {
    const of = (template: ReturnType<typeof synthesise>) =>
      rolesOf(template).flatMap(({ id, grants }) =>
        grants.map(({ action, resource }) => `${id} ${action} ${resource}`),
      );
    const without = of(synthesise({ 'assay:modelEndpoint': 'rest-api' }));
    const added = of(synthesise({ 'assay:modelEndpoint': 'rest-api', ...MODEL_VPC })).filter(
      (each) => !without.includes(each),
    );
    expect(added.map((each) => each.replace(/^ModelsGatewayRole[0-9A-F]{8} /, ''))).toEqual([
      'ec2:AssignPrivateIpAddresses *',
      'ec2:CreateNetworkInterface *',
      'ec2:DeleteNetworkInterface *',
      'ec2:DescribeNetworkInterfaces *',
      'ec2:DescribeSubnets *',
      'ec2:UnassignPrivateIpAddresses *',
    ]);
  });

  it('denies the code of a function in a network what Lambda does for it', () => {
    const template = synthesise({ 'assay:modelEndpoint': 'rest-api', ...MODEL_VPC });
    const denied = Object.values(template.findResources('AWS::IAM::Role'))
      .flatMap(({ Properties }) => Properties.Policies ?? [])
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Effect, Action }) => Effect === 'Deny' && JSON.stringify(Action).includes('ec2:'));
    expect(denied).toEqual([
      {
        Action: expect.arrayContaining(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']),
        Condition: { Null: { 'lambda:SourceFunctionArn': 'false' } },
        Effect: 'Deny',
        Resource: '*',
      },
    ]);
  });

  it.each(['rest-api', 'private'])(
    'lets its own REST API alone invoke the function where it is %s',
    (kind) => {
      const template = synthesise({ 'assay:modelEndpoint': kind });
      const invokers = Object.values(template.findResources('AWS::Lambda::Permission'))
        .map(({ Properties }) => Properties)
        .filter(({ FunctionName }) => text(FunctionName).startsWith('<ModelsGateway'));
      expect(invokers).not.toEqual([]);
      for (const { Principal, Action, SourceArn } of invokers) {
        expect([Principal, Action]).toEqual(['apigateway.amazonaws.com', 'lambda:InvokeFunction']);
        expect(text(SourceArn)).toMatch(/<ModelsEndpointApi[0-9A-F]{8}>\//);
      }
    },
  );

  it('opens its endpoint in the network to the containers alone, on port 443', () => {
    const template = synthesise({ 'assay:modelEndpoint': 'private' });
    const { SecurityGroupIngress } = only(
      template,
      'AWS::EC2::SecurityGroup',
      'ModelsEndpointGroup',
    ).Properties;
    expect(SecurityGroupIngress).toEqual([
      expect.objectContaining({ IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }),
    ]);
    expect(text(SecurityGroupIngress[0].SourceSecurityGroupId)).toMatch(/^<WorkforceNetworkBoxes/);
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
    const [statement, ...others] = only(template, 'AWS::ApiGateway::RestApi').Properties['Policy'].Statement;
    expect([statement.Effect, others]).toEqual(['Allow', []]);
  });

  it.each([
    ['assay:modelVpc: goes with', MODEL_VPC],
    ['assay:modelVpcEndpoint: goes with', { 'assay:modelVpcEndpoint': 'vpce-12345678' }],
    ['assay:modelVpcEndpoint: goes with', { ...OWN_VPC, 'assay:modelEndpoint': 'private' }],
  ])('is refused with %s', (message, context) => {
    expect(() => readSettings(new App({ context }).node)).toThrow(message);
  });
});
