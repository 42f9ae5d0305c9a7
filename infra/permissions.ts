import { Stack, Validations } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  Effect,
  type IRole,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export interface IamPermission {
  readonly actions: readonly string[];
  /** ARNs of the resources. */
  readonly on: readonly string[];
  /** IAM condition block. */
  readonly when?: Record<string, Record<string, unknown>>;
  /** Why one of the ARNs has to hold a `*`. Without it such an ARN is refused. */
  readonly because?: string;
}

/** cdk-nag's spelling of an ARN with references, which its findings are named by. */
function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': join, 'Fn::GetAtt': attribute, Ref: ref } = value as Record<string, unknown>;
  if (Array.isArray(join)) return (join[1] as unknown[]).map(flatten).join(String(join[0]));
  if (Array.isArray(attribute)) return `<${attribute.join('.')}>`;
  return `<${String(ref)}>`;
}

/** Grants exactly these actions on exactly these resources; each wildcard is acknowledged with its own reason. */
export function grantPermission(role: IRole, permission: IamPermission): void {
  const { actions, on, when, because } = permission;
  for (const arn of on) {
    const flat = flatten(Stack.of(role).resolve(arn));
    if (!flat.includes('*')) continue;
    if (!because) throw new Error(`${role.node.path}: ${flat} holds a wildcard; say why it must`);
    Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${flat}]`, reason: because });
  }
  role.addToPrincipalPolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: [...actions],
      resources: [...on],
      ...(when && { conditions: when }),
    }),
  );
}

/**
 * A role of a service that holds its permissions itself. The CDK's own way is one more resource for each role, and
 * CloudFormation takes 500 in a stack.
 */
export class InlinePolicyRole extends Role {
  readonly #permissions: PolicyDocument;

  /** @param service that assumes the role, e.g. `lambda.amazonaws.com` */
  constructor(scope: Construct, id: string, service: string) {
    const permissions = new PolicyDocument({ minimize: true });
    super(scope, id, {
      assumedBy: new ServicePrincipal(service),
      inlinePolicies: { Permissions: permissions },
    });
    this.#permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
