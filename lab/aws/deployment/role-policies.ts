import {
  DeleteRolePolicyCommand,
  GetRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { EMULATED_REGION } from '../machine/run-environment.ts';

export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

async function withIam<T>(work: (iam: IAMClient) => Promise<T>): Promise<T> {
  const iam = new IAMClient({ region: EMULATED_REGION });
  try {
    return await work(iam);
  } finally {
    iam.destroy();
  }
}

/** Gives a role one more inline policy. */
export const addRolePolicy = (
  role: string,
  name: string,
  statements: readonly PolicyStatement[],
): Promise<void> =>
  withIam(async (iam) => {
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: statements });
    await iam.send(new PutRolePolicyCommand({ RoleName: role, PolicyName: name, PolicyDocument }));
  });

export const removeRolePolicy = (role: string, name: string): Promise<void> =>
  withIam(async (iam) => {
    await iam.send(new DeleteRolePolicyCommand({ RoleName: role, PolicyName: name }));
  });

export const readRolePolicy = (role: string, name: string): Promise<string> =>
  withIam(async (iam) => {
    const { PolicyDocument = '' } = await iam.send(
      new GetRolePolicyCommand({ RoleName: role, PolicyName: name }),
    );
    return decodeURIComponent(PolicyDocument);
  });
