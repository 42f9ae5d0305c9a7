import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { EngineCredentials } from '../engine-credentials.ts';
import type { FunctionEnvironmentPassthrough } from '../env-passthrough.ts';
import type { InvokeResult, LambdaHost, OperationCounters, Stoppable } from '../shared-types.ts';
import { createFunctionEnvironment, type LocalServiceEndpoints } from './function-environment.ts';
import { type FunctionSpec, parseFunctionName } from './function-spec.ts';
import { createFunctionThreads } from './function-threads.ts';
import { startFunctionInstance } from './instance.ts';
import { createInstancePool, type InstancePool } from './instance-pool.ts';
import { needsOwnThread } from './load-function.ts';

export interface LambdaHostOptions {
  readonly functions: readonly FunctionSpec[];
  readonly endpoints: LocalServiceEndpoints;
  /** What the functions sign their requests with. */
  readonly credentials: EngineCredentials;
  readonly counters: OperationCounters;
  /** Directory for the temporary files of functions. */
  readonly scratch: string;
  /** Directory for compiled code. */
  readonly compileCache: string;
  /** Variables that functions get from the environment of this process. */
  readonly passthrough?: FunctionEnvironmentPassthrough;
  /**
   * Threads, and instances per function; Lambda starts up to a thousand. @default - the processors, two to
   * four
   */
  readonly maxInstances?: number;
  /** Receives each line of a function's output. */
  onLog(name: string, line: string): void;
}

/** Instances of a streaming function: its invocations mostly wait for a provider. */
const MAX_STREAMING_INSTANCES = 16;

/** Creates the host of the template's functions, which share threads. */
export function createLambdaHost(options: LambdaHostOptions): LambdaHost & Stoppable {
  const { functions, counters, maxInstances = Math.min(4, Math.max(2, availableParallelism())) } = options;
  const specs = new Map(functions.map((spec) => [spec.name, spec]));
  const threads = createFunctionThreads(options.compileCache, maxInstances);
  const pools = new Map(functions.map((spec) => [spec.name, poolFor(spec)]));

  function poolFor(spec: FunctionSpec): InstancePool {
    const { directory } = spec;
    const env = createFunctionEnvironment(
      spec,
      options.endpoints,
      options.credentials,
      options.passthrough ?? {},
    );
    let instances = 0;
    return createInstancePool({
      maxInstances: Math.min(
        spec.concurrency ?? Infinity,
        spec.isStreaming ? MAX_STREAMING_INSTANCES : maxInstances,
      ),
      async start(onEnd, stopped) {
        if (directory === null) {
          throw { errorType: 'Runtime.NoCode', errorMessage: `${spec.name} has no code in the assembly` };
        }
        const began = performance.now();
        const instance = await startFunctionInstance({
          spec: { ...spec, directory },
          env: { ...env, ...programsFor(spec, join(options.scratch, `${spec.name}-${++instances}`)) },
          thread: needsOwnThread({ ...spec, directory }) ? threads.startExclusive() : threads.next(spec.name),
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
      const spec = specs.get(parseFunctionName(name));
      const pool = pools.get(parseFunctionName(name));
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

/** Returns the programs and the temporary folder of a function from an image. */
const programsFor = ({ isImage }: FunctionSpec, scratch: string): Readonly<Record<string, string>> =>
  isImage ? { PATH: process.env['PATH'] ?? '', TMPDIR: scratch } : {};
