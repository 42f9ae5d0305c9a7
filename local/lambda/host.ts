import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { findInstalledClis } from '../installed-clis.ts';
import type { Counters, InvokeResult, LambdaHost, Stoppable } from '../interfaces.ts';
import { type Lent, lentTo } from '../lent.ts';
import { createSdkEnvironment, type Endpoints } from './function-environment.ts';
import { type FunctionSpec, functionName } from './function-spec.ts';
import { createFunctionThreads } from './function-threads.ts';
import { startInstance } from './instance.ts';
import { createInstancePool, type InstancePool } from './instance-pool.ts';
import { needsOwnThread } from './load-function.ts';

export interface LambdaHostOptions {
  readonly functions: readonly FunctionSpec[];
  readonly endpoints: Endpoints;
  readonly counters: Counters;
  /** Directory for what functions write. */
  readonly scratch: string;
  /** Directory for compiled code. */
  readonly compileCache: string;
  /** Variables that this process lends to the function that reaches the providers of models: addresses and keys. */
  readonly lent?: Lent;
  /** Threads, and instances per function; Lambda would start up to a thousand. Two to four by default, as there are processors. */
  readonly maxInstances?: number;
  /** One line of a function's standard output. */
  onLog(name: string, line: string): void;
}

/** Threads of a function that streams: its invocations wait for somebody else. */
const MOST_STREAMING = 16;

/** Hosts the functions of the template in threads that they share. */
export function createLambdaHost(options: LambdaHostOptions): LambdaHost & Stoppable {
  const { functions, counters, maxInstances = Math.min(4, Math.max(2, availableParallelism())) } = options;
  const specs = new Map(functions.map((spec) => [spec.name, spec]));
  const threads = createFunctionThreads(options.compileCache, maxInstances);
  const pools = new Map(functions.map((spec) => [spec.name, poolFor(spec)]));

  function poolFor(spec: FunctionSpec): InstancePool {
    const { directory } = spec;
    const env = environmentOf(spec, options);
    let instances = 0;
    return createInstancePool({
      maxInstances: Math.min(spec.concurrency ?? Infinity, spec.isStreaming ? MOST_STREAMING : maxInstances),
      async start(onEnd, stopped) {
        if (directory === null) {
          throw { errorType: 'Runtime.NoCode', errorMessage: `${spec.name} has no code in the assembly` };
        }
        const began = performance.now();
        const instance = await startInstance({
          spec: { ...spec, directory },
          env: { ...env, ...programsFor(spec, join(options.scratch, `${spec.name}-${++instances}`)) },
          thread: needsOwnThread({ ...spec, directory }) ? threads.own() : threads.next(spec.name),
          onLog: (line) => options.onLog(spec.name, line),
          onEnd,
          stopped,
        });
        counters.add('Lambda', 'ColdStarts');
        counters.add('Lambda', 'InitMilliseconds', performance.now() - began);
        return instance;
      },
    });
  }

  function count(spec: FunctionSpec, milliseconds: number, result: InvokeResult): void {
    const billed = Math.ceil(milliseconds);
    counters.add('Lambda', 'Invocations');
    counters.add('Lambda', 'BilledMilliseconds', billed);
    counters.add('Lambda', 'BilledGigabyteSeconds', (billed / 1000) * (spec.memoryMb / 1024));
    if (result.error !== undefined) counters.add('Lambda', 'Errors');
    counters.add('Lambda invocations', spec.name);
    counters.add('Lambda milliseconds', spec.name, milliseconds);
  }

  return {
    async invoke(name, payload, sink) {
      const spec = specs.get(functionName(name));
      const pool = pools.get(functionName(name));
      if (spec === undefined || pool === undefined) {
        const error = {
          errorType: 'ResourceNotFoundException',
          errorMessage: `there is no function ${name}`,
        };
        return { payload: error, error };
      }
      return pool.invoke(
        JSON.stringify(payload ?? null),
        (milliseconds, result) => count(spec, milliseconds, result),
        sink,
      );
    },
    async stop() {
      await Promise.all([...pools.values()].map((pool) => pool.stop()));
      await threads.stop();
    },
  };
}

/** What a function from an image finds beside its code: programs, and a /tmp of its own. */
const programsFor = ({ isImage }: FunctionSpec, scratch: string): Readonly<Record<string, string>> =>
  isImage ? { PATH: process.env['PATH'] ?? '', TMPDIR: scratch } : {};

/** The whole environment of a function: nothing of the process that hosts it. */
function environmentOf(
  spec: FunctionSpec,
  { endpoints, lent }: Pick<LambdaHostOptions, 'endpoints' | 'lent'>,
): Readonly<Record<string, string>> {
  return {
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    _HANDLER: spec.handler,
    LAMBDA_TASK_ROOT: spec.directory ?? '',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: spec.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${spec.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'embedded',
    ...createSdkEnvironment(endpoints),
    [FUNCTION_ENV_NAMES.allowFileRepositories]: 'true',
    ...spec.variables,
    // Without keys, there is no vendor here, whatever a deployment would have.
    ...(FUNCTION_ENV_NAMES.modelVendors in spec.variables ? { [FUNCTION_ENV_NAMES.modelVendors]: '[]' } : {}),
    ...(FUNCTION_ENV_NAMES.agentClis in spec.variables
      ? { [FUNCTION_ENV_NAMES.agentClis]: JSON.stringify(findInstalledClis()) }
      : {}),
    ...lentTo(spec.variables, lent ?? {}),
  };
}
