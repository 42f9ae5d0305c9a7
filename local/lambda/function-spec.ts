import { createResourcePropertyReader } from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';
import type { AssetLocator } from '../template/assets.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../template/identity.ts';

/** A function of the template. */
export interface FunctionSpec {
  readonly name: string;
  readonly arn: string;
  /** Directory with its code; null if the assembly has none, as for inline code. */
  readonly directory: string | null;
  /** True if it runs from an image with the programs that it calls. Here it calls those of this machine. */
  readonly isImage: boolean;
  /** `<file>.<export>`. */
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Reserved concurrency; null for none. */
  readonly concurrency: number | null;
  /** True if it streams its response: then its invocations mostly wait. */
  readonly isStreaming: boolean;
  /** Variables that the template sets. */
  readonly variables: Readonly<Record<string, string>>;
}

export const functionArn = (name: string): string =>
  `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:function:${name}`;

/** Returns the function's name from a name, an ARN, or an ARN with a version. */
export const parseFunctionName = (nameOrArn: string): string =>
  nameOrArn.startsWith('arn:') ? (nameOrArn.split(':')[6] ?? nameOrArn) : nameOrArn;

export const readFunctionSpecs = (
  resources: readonly ResolvedResource[],
  assets: AssetLocator,
): readonly FunctionSpec[] => {
  const urls = resources.filter(({ type }) => type === 'AWS::Lambda::Url').map(createResourcePropertyReader);
  const streaming = urls.map((url) => parseFunctionName(url.text('TargetFunctionArn')));
  return resources
    .filter(({ type }) => type === 'AWS::Lambda::Function')
    .map((resource) => {
      const lambda = createResourcePropertyReader(resource);
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
        // The command of an image is its handler.
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
