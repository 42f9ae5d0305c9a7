import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperationCounters } from '../../../local/counters.ts';
import type { LocalServiceEndpoints } from '../../../local/lambda/function-environment.ts';
import { type FunctionSpec, functionArn } from '../../../local/lambda/function-spec.ts';
import { createLambdaHost } from '../../../local/lambda/host.ts';
import type { OperationCounters } from '../../../local/shared-types.ts';
import { CREDENTIALS } from './resources.ts';

export const NO_ENDPOINTS: LocalServiceEndpoints = {
  DYNAMODB: 'http://127.0.0.1:1',
  SQS: 'http://127.0.0.1:2',
  S3: 'http://127.0.0.1:3',
  SFN: 'http://127.0.0.1:4',
  ECS: 'http://127.0.0.1:5',
  EVENTBRIDGE: 'http://127.0.0.1:5',
  LAMBDA: 'http://127.0.0.1:5',
};

/** A function whose bundle is the given CommonJS source. */
export function functionOf(
  directory: string,
  name: string,
  source: string,
  changes: Partial<FunctionSpec> = {},
): FunctionSpec {
  const own = join(directory, 'functions', name);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'package.json'), '{"type":"commonjs"}');
  writeFileSync(join(own, 'index.js'), source);
  return {
    name,
    arn: functionArn(changes.name ?? name),
    directory: own,
    isImage: false,
    handler: 'index.handler',
    timeoutMs: 10_000,
    memoryMb: 512,
    concurrency: null,
    isStreaming: false,
    variables: {},
    ...changes,
  };
}

/** A host of functions with their log lines. */
export function hostOf(
  directory: string,
  functions: readonly FunctionSpec[],
  options: { readonly counters?: OperationCounters; readonly maxInstances?: number } = {},
) {
  const lines: string[] = [];
  const host = createLambdaHost({
    credentials: CREDENTIALS,
    functions,
    endpoints: NO_ENDPOINTS,
    counters: createOperationCounters(),
    compileCache: join(directory, 'compiled'),
    scratch: join(directory, 'scratch'),
    onLog: (name, line) => lines.push(`${name}: ${line}`),
    ...options,
  });
  return { ...host, lines };
}
