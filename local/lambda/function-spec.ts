import type { ResolvedResource } from '../interfaces.ts';
import { propertiesOf } from '../properties.ts';
import type { Assets } from '../template/assets.ts';
import { ACCOUNT_ID, REGION } from '../template/identity.ts';

/** A function of the template. */
export interface FunctionSpec {
  readonly name: string;
  readonly arn: string;
  /** Directory with its code; null when the assembly has none, as for inline code. */
  readonly directory: string | null;
  /** Runs from an image, which brings the programs that it calls; here they are those of this machine. */
  readonly isImage: boolean;
  /** `<file>.<export>`. */
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Invocations at a time that the template reserves; null when it says nothing. */
  readonly concurrency: number | null;
  /** Streams what somebody else says, so that its invocations wait more than they work. */
  readonly isStreaming: boolean;
  /** Variables that the template sets. */
  readonly variables: Readonly<Record<string, string>>;
}

export const functionArn = (name: string): string =>
  `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${name}`;

/** The function's name in a name, an ARN, or an ARN with a version. */
export const functionName = (nameOrArn: string): string =>
  nameOrArn.startsWith('arn:') ? (nameOrArn.split(':')[6] ?? nameOrArn) : nameOrArn;

export const readFunctionSpecs = (
  resources: readonly ResolvedResource[],
  assets: Assets,
): readonly FunctionSpec[] => {
  const urls = resources.filter(({ type }) => type === 'AWS::Lambda::Url').map(propertiesOf);
  const streaming = urls.map((url) => functionName(url.text('TargetFunctionArn')));
  return resources
    .filter(({ type }) => type === 'AWS::Lambda::Function')
    .map((resource) => {
      const lambda = propertiesOf(resource);
      const name = lambda.text('FunctionName');
      const code = lambda.record('Code');
      const image = lambda.record('ImageConfig').list('Command').map(String);
      const variables = lambda.record('Environment').record('Variables').values;
      return {
        name,
        arn: functionArn(name),
        isImage: code.has('ImageUri'),
        directory: code.has('ImageUri')
          ? assets.image(code.values['ImageUri'])
          : code.has('S3Key')
            ? assets.file(code.text('S3Key'))
            : null,
        // An image is told what to start in the place of its own command.
        handler: lambda.text('Handler', image[0] ?? 'index.handler'),
        // Lambda's own defaults.
        timeoutMs: lambda.number('Timeout', 3) * 1000,
        memoryMb: lambda.number('MemorySize', 128),
        concurrency: lambda.number('ReservedConcurrentExecutions', null),
        isStreaming: streaming.includes(name),
        variables: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
      };
    });
};
