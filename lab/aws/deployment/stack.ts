import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { ACCOUNT, REGION } from '../machine/names.ts';
import type { Deployed } from './lacking-permissions.ts';

export const STACK = 'Assay';

/** Physical id of the one resource of that type whose logical id begins so. @throws Error when there is none or more than one. */
export async function physicalId(type: string, logical: string): Promise<string> {
  const client = new CloudFormationClient({ region: REGION });
  const found: string[] = [];
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: STACK },
    ))
      for (const { ResourceType, LogicalResourceId = '', PhysicalResourceId } of StackResourceSummaries)
        if (ResourceType === type && LogicalResourceId.startsWith(logical) && PhysicalResourceId)
          found.push(PhysicalResourceId);
  } finally {
    client.destroy();
  }
  const [only, ...more] = found;
  if (only === undefined || more.length > 0)
    throw new Error(`${found.length} of ${type} begin with ${logical}`);
  return only;
}

export const roleOf = (logical: string): Promise<string> => physicalId('AWS::IAM::Role', `${logical}Role`);

export const deployedNames = async (bucket: string): Promise<Deployed> => ({
  bucket,
  bus: `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${await physicalId('AWS::Events::EventBus', '')}`,
  cluster: await physicalId('AWS::ECS::Cluster', ''),
});
