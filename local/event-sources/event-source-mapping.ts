import type { StreamStartingPosition } from '../dynamodb/write-ahead-log/index.ts';
import { compilePattern, type EventMatcher } from '../events/event-pattern.ts';
import { createResourcePropertyReader, type PropertyReader } from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';

interface Common {
  /** Logical id: names the mapping in messages and in positions. */
  readonly id: string;
  readonly sourceArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly reportsItems: boolean;
  /** An event is delivered if one of them matches; null for no filters. */
  readonly filters: readonly EventMatcher[] | null;
}

export interface QueueMapping extends Common {
  readonly kind: 'queue';
  /** Batches that are processed at a time. */
  readonly concurrency: number;
}

export interface StreamMapping extends Common {
  readonly kind: 'stream';
  readonly startingPosition: StreamStartingPosition;
  /** Seconds to wait for a full batch. */
  readonly windowSeconds: number;
  /**
   * Batches at a time: changes of one item stay in order, changes of different items may be processed
   * concurrently.
   */
  readonly parallelization: number;
  readonly bisects: boolean;
  /** -1: unlimited. */
  readonly maxRetries: number;
  /** Seconds; -1: unlimited. */
  readonly maxAgeSeconds: number;
  /** ARN of the queue or bucket that gets discarded batches. */
  readonly onFailureArn: string | null;
}

export type EventSourceMapping = QueueMapping | StreamMapping;

const COMMON = [
  'BatchSize',
  'Enabled',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'FunctionResponseTypes',
  'Tags',
];
const OF_STREAMS = [
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'StartingPosition',
];

/**
 * Reads the enabled event source mappings of the template. @throws Error that names the unsupported property.
 */
export const readMappings = (resources: readonly ResolvedResource[]): readonly EventSourceMapping[] =>
  resources
    .filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping')
    .filter((resource) => createResourcePropertyReader(resource).flag('Enabled', true))
    .map((resource) => readMapping(resource.logicalId, createResourcePropertyReader(resource)));

function readMapping(id: string, source: PropertyReader): EventSourceMapping {
  const sourceArn = source.text('EventSourceArn');
  const service = sourceArn.split(':')[2];
  if (service === 'sqs') return readQueueMapping(id, sourceArn, source);
  if (service === 'dynamodb') return readStreamMapping(id, sourceArn, source);
  throw new Error(`${source.where}: the embedded stack does not read events of ${service}`);
}

function readCommon(id: string, sourceArn: string, source: PropertyReader, batchSize: number): Common {
  const patterns = source.record('FilterCriteria').records('Filters');
  return {
    id,
    sourceArn,
    functionName: source.text('FunctionName'),
    batchSize: source.number('BatchSize', batchSize),
    reportsItems: source.list('FunctionResponseTypes').includes('ReportBatchItemFailures'),
    filters:
      patterns.length === 0
        ? null
        : patterns.map((item) => compilePattern(JSON.parse(item.text('Pattern')), item.where)),
  };
}

function readQueueMapping(id: string, sourceArn: string, source: PropertyReader): QueueMapping {
  source.only(...COMMON, 'ScalingConfig');
  const common = readCommon(id, sourceArn, source, 10);
  if (common.batchSize > 10)
    throw new Error(`${source.where}: a batch of more than 10 messages is not known`);
  const scaling = source.record('ScalingConfig');
  scaling.only('MaximumConcurrency');
  // Lambda starts with five pollers.
  return { ...common, kind: 'queue', concurrency: scaling.number('MaximumConcurrency', 5) };
}

function readStreamMapping(id: string, sourceArn: string, source: PropertyReader): StreamMapping {
  source.only(...COMMON, ...OF_STREAMS);
  const starting = source.text('StartingPosition');
  if (starting !== 'TRIM_HORIZON' && starting !== 'LATEST') {
    throw new Error(`${source.where}: the starting position ${starting} is not known`);
  }
  const destination = source.record('DestinationConfig').record('OnFailure');
  return {
    ...readCommon(id, sourceArn, source, 100),
    kind: 'stream',
    startingPosition: starting,
    windowSeconds: source.number('MaximumBatchingWindowInSeconds', 0),
    parallelization: source.number('ParallelizationFactor', 1),
    bisects: source.flag('BisectBatchOnFunctionError', false),
    maxRetries: source.number('MaximumRetryAttempts', -1),
    maxAgeSeconds: source.number('MaximumRecordAgeInSeconds', -1),
    onFailureArn: destination.has('Destination') ? destination.text('Destination') : null,
  };
}
