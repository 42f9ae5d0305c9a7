import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { EMULATED_ACCOUNT, EMULATED_REGION } from '../machine/run-environment.ts';
import type { DeployedNames } from './permission-gaps.ts';

export const STACK_NAME = 'Assay';

/** Physical id of the one resource of that type whose logical id begins so. @throws Error when there is none or more than one. */
export async function getPhysicalId(type: string, logical: string): Promise<string> {
  const client = new CloudFormationClient({ region: EMULATED_REGION });
  const found: string[] = [];
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: STACK_NAME },
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

export const getRoleName = (logical: string): Promise<string> =>
  getPhysicalId('AWS::IAM::Role', `${logical}Role`);

export const getDeployedNames = async (bucket: string): Promise<DeployedNames> => ({
  bucket,
  bus: `arn:aws:events:${EMULATED_REGION}:${EMULATED_ACCOUNT}:event-bus/${await getPhysicalId('AWS::Events::EventBus', '')}`,
  cluster: await getPhysicalId('AWS::ECS::Cluster', ''),
});
