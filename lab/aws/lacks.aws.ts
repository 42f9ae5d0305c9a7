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
import { type Credentials, type Deployed, LACKING_PERMISSIONS } from './deployment/lacking-permissions.ts';
import { LACKING_RESOURCES } from './deployment/lacking-resources.ts';
import { addPolicy } from './deployment/roles.ts';
import { deployedNames, physicalId } from './deployment/stack.ts';
import { ACCOUNT, REGION } from './machine/names.ts';

/*
 * What the emulator lacks, and we go around. Each is shown without anything of ours in it, so that the fault is the emulator's; once it has
 * learnt one, that test fails, and what goes around it can go. One is not the emulator's, but this machine's: it has no base image to build on.
 */

let deployed: Deployed;
beforeAll(async () => {
  deployed = await deployedNames(inject('outputs')['Bucket'] ?? '');
});

describe('the emulator still refuses what AWS allows', () => {
  test.each([...LACKING_PERMISSIONS.entries()].map(([number, lack]) => ({ number, ...lack })))(
    '$name',
    async ({ number, asOnAws, call }) => {
      const role = `probe-${number}`;
      const credentials = await roleWith(role, [asOnAws(deployed)]);
      await expect(call(deployed, credentials)).rejects.toThrow(/not authorized/);
    },
  );

  test('so it is for want of the key or the resource, not of the permission', async () => {
    const granted = LACKING_PERMISSIONS.map(({ asHere }) => asHere(deployed));
    const credentials = await roleWith('probe-all', granted);
    for (const { call } of LACKING_PERMISSIONS)
      await expect(call(deployed, credentials).then(String, String)).resolves.not.toMatch(/not authorized/);
  });
});

test.each(LACKING_RESOURCES)('the emulator still makes no stack with $name', async ({ example }) => {
  const client = new CloudFormationClient({ region: REGION });
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
  const ecr = new ECRClient({ region: REGION });
  const { imageDetails } = await ecr.send(
    new DescribeImagesCommand({ repositoryName: BOOTSTRAP_REPOSITORY, imageIds: [{ imageTag: 'none' }] }),
  );
  expect(imageDetails).toEqual([]);
});

test('the emulator runs a function from its image by Docker: what lacks is the image, which this machine cannot build', async () => {
  const lambda = new LambdaClient({ region: REGION });
  const ImageUri = `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/${BOOTSTRAP_REPOSITORY}:none`;
  const FunctionName = 'probe-image';
  await roleWith(FunctionName, [{ Effect: 'Allow', Action: 'logs:PutLogEvents', Resource: '*' }]);
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      PackageType: 'Image',
      Code: { ImageUri },
      Role: `arn:aws:iam::${ACCOUNT}:role/${FunctionName}`,
    }),
  );
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName }));
  await lambda.send(new DeleteFunctionCommand({ FunctionName }));
  lambda.destroy();
  expect(FunctionError).toBeDefined();
  expect(Buffer.from(Payload ?? []).toString()).toContain(`Failed to pull image ${ImageUri}`);
});

test('the emulator still keeps capital letters in the task definitions of CloudFormation', async () => {
  const ecs = new ECSClient({ region: REGION });
  const family = await physicalId('AWS::ECS::TaskDefinition', 'WorkforceBoxesgates');
  const { taskDefinition } = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }));
  ecs.destroy();
  const [{ secrets, linuxParameters } = {}] = taskDefinition?.containerDefinitions ?? [];
  expect({ secret: secrets?.[0]?.name, dropped: linuxParameters?.capabilities }).toEqual({
    secret: undefined,
    dropped: undefined,
  });
});

/** Credentials of a new role that may do this and nothing else. */
async function roleWith(name: string, statements: Parameters<typeof addPolicy>[2]): Promise<Credentials> {
  const iam = new IAMClient({ region: REGION });
  const sts = new STSClient({ region: REGION });
  const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: ACCOUNT } };
  await iam.send(
    new CreateRoleCommand({
      RoleName: name,
      AssumeRolePolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [trust] }),
    }),
  );
  await addPolicy(name, 'only', statements);
  const { Credentials } = await sts.send(
    new AssumeRoleCommand({ RoleArn: `arn:aws:iam::${ACCOUNT}:role/${name}`, RoleSessionName: 'probe' }),
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
