import type { CloudFormationClient, Stack } from '@aws-sdk/client-cloudformation';

/** A stack in CloudFormation. */
export interface DeployedStack {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Physical ids by type. */
  readonly resources: ReadonlyMap<string, readonly string[]>;
}

/** Finds a stack by name; null: there is none. */
export async function findDeployedStack(name: string): Promise<DeployedStack | null> {
  const sdk = await import('@aws-sdk/client-cloudformation');
  const client = new sdk.CloudFormationClient();
  try {
    const stack = await describeStack(client, sdk, name);
    if (!stack) return null;
    const resources = new Map<string, string[]>();
    const pages = sdk.paginateListStackResources({ client }, { StackName: name });
    for await (const { StackResourceSummaries = [] } of pages)
      for (const { ResourceType = '', PhysicalResourceId } of StackResourceSummaries)
        if (PhysicalResourceId)
          resources.set(ResourceType, [...(resources.get(ResourceType) ?? []), PhysicalResourceId]);
    const outputs = (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
      OutputKey,
      OutputValue,
    ]);
    return { status: stack.StackStatus ?? 'unknown', outputs: Object.fromEntries(outputs), resources };
  } finally {
    client.destroy();
  }
}

async function describeStack(
  client: CloudFormationClient,
  sdk: typeof import('@aws-sdk/client-cloudformation'),
  StackName: string,
): Promise<Stack | undefined> {
  try {
    return (await client.send(new sdk.DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    // CloudFormation has no error code for a stack that does not exist.
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message))
      return undefined;
    throw error;
  }
}
