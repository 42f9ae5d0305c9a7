import type { Dynamo } from '../dynamodb/index.ts';
import type { EngineCredentials } from '../engine-credentials.ts';
import { createAwsJsonClient } from '../http/aws-json.ts';
import type { InjectedFaults, LambdaHost, ResolvedResource, Stoppable } from '../shared-types.ts';
import { readMappings } from './event-source-mapping.ts';
import { startQueuePoller } from './queue-poller.ts';
import { createLocalStreamReader, type LocalStreamReader } from './stream-reader.ts';

export interface EventSourceOptions {
  readonly resources: readonly ResolvedResource[];
  readonly dynamo: Pick<Dynamo, 'log' | 'tables'>;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly credentials: EngineCredentials;
  readonly lambda: LambdaHost;
  readonly faults: InjectedFaults;
  onError(message: string): void;
}

export interface EventSources extends Stoppable {
  /**
   * Delivers records without waiting for full batches until every change is handled, also those that handlers
   * cause. Resolves to false if that takes longer than `timeoutMs`.
   */
  drain(timeoutMs: number): Promise<boolean>;
}

/** Starts the event source mappings of the template. */
export function startEventSources(options: EventSourceOptions): EventSources {
  const { dynamo, sqsEndpoint } = options;
  const { log, tables } = dynamo;
  const sqs = createAwsJsonClient(sqsEndpoint, 'AmazonSQS', options.credentials);
  const all = readMappings(options.resources);
  const readers: LocalStreamReader[] = all.flatMap((mapping) => {
    if (mapping.kind !== 'stream') return [];
    const table = tables.find(({ stream }) => stream?.arn === mapping.sourceArn);
    if (table === undefined) throw new Error(`${mapping.id}: there is no stream ${mapping.sourceArn}`);
    return [createLocalStreamReader({ ...options, mapping, table, log, sqs })];
  });
  const streams = all.filter((mapping) => mapping.kind === 'stream');
  log.register(new Map(streams.map(({ id, startingPosition }) => [id, startingPosition])));
  for (const reader of readers) reader.start();
  const pollers = all.flatMap((mapping) =>
    mapping.kind === 'queue' ? [startQueuePoller({ ...options, mapping, sqs })] : [],
  );
  return {
    async drain(timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      const timedOut = Promise.withResolvers<'timeout'>();
      const timer = setTimeout(() => timedOut.resolve('timeout'), timeoutMs);
      try {
        while (Date.now() < deadline) {
          const head = log.head();
          for (const reader of readers) reader.flush();
          const settled = Promise.all(readers.map((reader) => reader.settled()));
          if ((await Promise.race([settled, timedOut.promise])) === 'timeout') return false;
          if (log.head() === head) return true;
        }
        return false;
      } finally {
        clearTimeout(timer);
      }
    },
    async stop() {
      await Promise.all([...pollers, ...readers].map((source) => source.stop()));
      sqs.close();
    },
  };
}
