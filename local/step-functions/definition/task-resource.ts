import { isRecord } from '../../resource-properties.ts';

/** The resource of a Task state. */
export type TaskResource =
  | { readonly kind: 'function'; readonly functionArn: string }
  | { readonly kind: ServiceIntegrationKind; readonly required: readonly string[] };

export type ServiceIntegrationKind = 'lambda:invoke' | 'sqs:sendMessage' | 'states:startExecution';

interface Integration {
  readonly kind: ServiceIntegrationKind;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The supported service integrations, by the part of the ARN behind `arn:aws:states:::`. */
const INTEGRATIONS: Readonly<Record<string, Integration>> = {
  'lambda:invoke': { kind: 'lambda:invoke', required: ['FunctionName'], optional: ['Payload'] },
  'sqs:sendMessage': {
    kind: 'sqs:sendMessage',
    required: ['QueueUrl', 'MessageBody'],
    optional: ['DelaySeconds', 'MessageAttributes', 'MessageGroupId', 'MessageDeduplicationId'],
  },
  'states:startExecution': {
    kind: 'states:startExecution',
    required: ['StateMachineArn'],
    optional: ['Input', 'Name'],
  },
};

/**
 * Reads a Task's `Resource` and checks the keys of its `Arguments`. @throws Error that names the unsupported
 * value.
 */
export function parseTaskResource(resource: string, args: unknown): TaskResource {
  if (/^arn:[^:]+:lambda:[^:]*:[^:]*:function:.+$/.test(resource)) {
    return { kind: 'function', functionArn: resource };
  }
  const integration = INTEGRATIONS[/^arn:[^:]+:states:::(.+)$/.exec(resource)?.[1] ?? ''];
  if (!integration) throw new Error(`Resource "${resource}" is not supported`);
  const { kind, required, optional } = integration;
  if (args === undefined) throw new Error(`Arguments are needed by Resource "${resource}"`);
  if (isRecord(args)) {
    const unknown = Object.keys(args).find((key) => !required.includes(key) && !optional.includes(key));
    if (unknown) throw new Error(`Arguments.${unknown} is not supported`);
    const missing = required.find((key) => !(key in args));
    if (missing) throw new Error(`Arguments.${missing} is missing`);
  }
  return { kind, required };
}
