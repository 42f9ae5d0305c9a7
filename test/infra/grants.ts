import type { Template } from 'aws-cdk-lib/assertions';
import { text } from './synthesise.ts';

export interface Grant {
  readonly action: string;
  readonly resource: string;
  readonly condition: unknown;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
const grantsIn = (document: { Statement: Record<string, unknown>[] }): Grant[] =>
  document.Statement.filter(({ Effect }) => Effect === 'Allow').flatMap((statement) =>
    list(statement['Action']).flatMap((action) =>
      list(statement['Resource']).map((resource) => ({
        action: String(action),
        resource: text(resource),
        condition: statement['Condition'],
      })),
    ),
  );

/** Everything that each role of a template may do, wherever it is written. */
export function rolesOf(template: Template): { readonly id: string; readonly grants: readonly Grant[] }[] {
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  return Object.entries(template.findResources('AWS::IAM::Role')).map(([id, { Properties }]) => {
    const attached = policies.filter((policy) =>
      policy['Properties'].Roles.some((role: unknown) => text(role) === `<${id}>`),
    );
    return {
      id,
      grants: [
        ...attached.map((policy) => policy['Properties'].PolicyDocument),
        ...(Properties.Policies ?? []).map((policy: { PolicyDocument: unknown }) => policy.PolicyDocument),
      ].flatMap(grantsIn),
    };
  });
}
