import { setTimeout as pause } from 'node:timers/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { DescribeImagesCommand, ECRClient } from '@aws-sdk/client-ecr';
import { DescribeTaskDefinitionCommand, ECSClient } from '@aws-sdk/client-ecs';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { BOOTSTRAP_REPOSITORY } from './deployment/cdk.ts';
import { getDeployedNames, getPhysicalId } from './deployment/deployed-stack.ts';
import { type AwsCredentials, type DeployedNames, PERMISSION_GAPS } from './deployment/permission-gaps.ts';
import { RESOURCE_GAPS } from './deployment/resource-gaps.ts';
import { addRolePolicy } from './deployment/role-policies.ts';
import { EMULATED_ACCOUNT, EMULATED_REGION } from './machine/run-environment.ts';

/*
 * What the emulator lacks, and we go around. Each is shown without anything of ours in it, so that the fault is the emulator's; once it has
 * learnt one, that test fails, and what goes around it can go. One is not the emulator's, but this machine's: it has no base image to build on.
 */

let deployed: DeployedNames;
beforeAll(async () => {
  deployed = await getDeployedNames(inject('outputs')['Bucket'] ?? '');
});

describe('the emulator still refuses what AWS allows', () => {
  test.each([...PERMISSION_GAPS.entries()].map(([number, lack]) => ({ number, ...lack })))(
    '$name',
    async ({ number, awsStatement, call }) => {
      const role = `probe-${number}`;
      const credentials = await roleWith(role, [awsStatement(deployed)]);
      await expect(call(deployed, credentials)).rejects.toThrow(/not authorized/);
    },
  );

  test('so it is for want of the key or the resource, not of the permission', async () => {
    const granted = PERMISSION_GAPS.map(({ emulatorStatement }) => emulatorStatement(deployed));
    const credentials = await roleWith('probe-all', granted);
    for (const { call } of PERMISSION_GAPS)
      await expect(call(deployed, credentials).then(String, String)).resolves.not.toMatch(/not authorized/);
  });
});

test.each(RESOURCE_GAPS)('the emulator still makes no stack with $name', async ({ example }) => {
  const client = new CloudFormationClient({ region: EMULATED_REGION });
  const StackName = `probe-${example.Type.replaceAll(':', '')}`;
  const made = client.send(
    new CreateStackCommand({ StackName, TemplateBody: JSON.stringify({ Resources: { It: example } }) }),
  );
  const status = await made.then(() => settled(client, StackName), String);
  await client.send(new DeleteStackCommand({ StackName })).catch(() => {});
  client.destroy();
  expect(status).not.toBe('CREATE_COMPLETE');
});

test('the emulator still says of each image that it is there, so that the CDK publishes none', async () => {
  const ecr = new ECRClient({ region: EMULATED_REGION });
  const { imageDetails } = await ecr.send(
    new DescribeImagesCommand({ repositoryName: BOOTSTRAP_REPOSITORY, imageIds: [{ imageTag: 'none' }] }),
  );
  expect(imageDetails).toEqual([]);
});

test('the emulator runs a function from its image by Docker: what lacks is the image, which this machine cannot build', async () => {
  const lambda = new LambdaClient({ region: EMULATED_REGION });
  const ImageUri = `${EMULATED_ACCOUNT}.dkr.ecr.${EMULATED_REGION}.amazonaws.com/${BOOTSTRAP_REPOSITORY}:none`;
  const FunctionName = 'probe-image';
  await roleWith(FunctionName, [{ Effect: 'Allow', Action: 'logs:PutLogEvents', Resource: '*' }]);
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      PackageType: 'Image',
      Code: { ImageUri },
      Role: `arn:aws:iam::${EMULATED_ACCOUNT}:role/${FunctionName}`,
    }),
  );
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName }));
  await lambda.send(new DeleteFunctionCommand({ FunctionName }));
  lambda.destroy();
  expect(FunctionError).toBeDefined();
  expect(Buffer.from(Payload ?? []).toString()).toContain(`Failed to pull image ${ImageUri}`);
});

test('the emulator still keeps capital letters in the task definitions of CloudFormation', async () => {
  const ecs = new ECSClient({ region: EMULATED_REGION });
  const family = await getPhysicalId('AWS::ECS::TaskDefinition', 'WorkforceBoxesgatesTask');
  const { taskDefinition } = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }));
  ecs.destroy();
  const [{ secrets, linuxParameters } = {}] = taskDefinition?.containerDefinitions ?? [];
  expect({ secret: secrets?.[0]?.name, dropped: linuxParameters?.capabilities }).toEqual({
    secret: undefined,
    dropped: undefined,
  });
});

/** Credentials of a new role that may do this and nothing else. */
async function roleWith(
  name: string,
  statements: Parameters<typeof addRolePolicy>[2],
): Promise<AwsCredentials> {
  const iam = new IAMClient({ region: EMULATED_REGION });
  const sts = new STSClient({ region: EMULATED_REGION });
  const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: EMULATED_ACCOUNT } };
  await iam.send(
    new CreateRoleCommand({
      RoleName: name,
      AssumeRolePolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [trust] }),
    }),
  );
  await addRolePolicy(name, 'only', statements);
  const { Credentials } = await sts.send(
    new AssumeRoleCommand({
      RoleArn: `arn:aws:iam::${EMULATED_ACCOUNT}:role/${name}`,
      RoleSessionName: 'probe',
    }),
  );
  iam.destroy();
  sts.destroy();
  return {
    accessKeyId: Credentials?.AccessKeyId ?? '',
    secretAccessKey: Credentials?.SecretAccessKey ?? '',
    sessionToken: Credentials?.SessionToken ?? '',
  };
}

/** The emulator tells nobody when a stack is made or not. */
async function settled(client: CloudFormationClient, StackName: string): Promise<string> {
  for (;;) {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    const status = Stacks?.[0]?.StackStatus ?? 'gone';
    if (!status.endsWith('IN_PROGRESS')) return status;
    await pause(200);
  }
}
