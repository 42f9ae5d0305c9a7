import { createResourcePropertyReader, type PropertyReader } from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';
import { compileMetricMath, type MetricExpression } from './metric-math.ts';
import { metricKey, STATISTICS, type Statistic } from './metrics.ts';

const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanThreshold: (value, threshold) => value > threshold,
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

const MISSING = ['breaching', 'notBreaching', 'ignore', 'missing'] as const;
export type MissingDataTreatment = (typeof MISSING)[number];

/** A metric of the stack's own namespace, over one period. */
export interface MetricQuery {
  readonly key: string;
  readonly statistic: Statistic;
}

/** An alarm on metrics of the stack's own namespaces. */
export interface AlarmDefinition {
  readonly name: string;
  readonly description: string;
  readonly metrics: ReadonlyMap<string, MetricQuery>;
  readonly expressions: ReadonlyMap<string, MetricExpression>;
  /** Id of the metric or expression that is compared. */
  readonly watched: string;
  readonly periodMs: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly comparison: string;
  readonly threshold: number;
  readonly missingData: MissingDataTreatment;
  breaches(value: number): boolean;
}

/** An alarm with metrics that only AWS produces. It is listed and never evaluated. */
export interface UnevaluatedAwsAlarm {
  readonly name: string;
  readonly awsMetrics: readonly string[];
}

/**
 * Reads the alarms of a template. @throws Error that names the unsupported property of an alarm on the
 * stack's own metrics.
 */
export function readAlarms(
  resources: readonly ResolvedResource[],
): ReadonlyArray<AlarmDefinition | UnevaluatedAwsAlarm> {
  return resources.filter(({ type }) => type === 'AWS::CloudWatch::Alarm').map(readAlarm);
}

function readAlarm(resource: ResolvedResource): AlarmDefinition | UnevaluatedAwsAlarm {
  const properties = createResourcePropertyReader(resource);
  const name = properties.text('AlarmName', resource.logicalId);
  const queries = properties.has('Metrics') ? properties.records('Metrics') : [properties];
  const foreign = queries
    .filter((query) => query === properties || query.has('MetricStat'))
    .map((query) => (query === properties ? query : query.record('MetricStat').record('Metric')))
    .filter((metric) => metric.text('Namespace').startsWith('AWS/'))
    .map((metric) => `${metric.text('Namespace')} ${metric.text('MetricName')}`);
  if (foreign.length > 0) return { name, awsMetrics: foreign };

  const metrics = new Map<string, MetricQuery>();
  const expressions = new Map<string, MetricExpression>();
  const periods = new Set<number>();
  for (const query of queries) {
    const id = query.text('Id', 'metric');
    if (query.has('Expression')) {
      expressions.set(id, compile(query));
    } else if (query.has('MetricStat')) {
      const stat = query.record('MetricStat');
      metrics.set(id, readMetric(stat.record('Metric'), stat.text('Stat')));
      periods.add(stat.number('Period'));
    } else {
      metrics.set(id, readMetric(query, query.text('Statistic')));
      periods.add(query.number('Period'));
    }
  }
  const [period, ...others] = periods;
  if (period === undefined || others.length > 0 || period % 60 !== 0) {
    throw new Error(`${properties.where}: all metrics must have the same period, in whole minutes`);
  }
  checkReferences(properties.where, metrics, expressions);
  return {
    name,
    description: properties.text('AlarmDescription', ''),
    metrics,
    expressions,
    watched: watchedId(properties.where, queries),
    periodMs: period * 1_000,
    ...readRule(properties),
  };
}

function readRule(properties: PropertyReader) {
  const evaluationPeriods = properties.number('EvaluationPeriods');
  const threshold = properties.number('Threshold');
  const comparison = properties.text('ComparisonOperator');
  const compare = COMPARISONS[comparison];
  if (!compare) throw new Error(`${properties.where}: ComparisonOperator ${comparison} is not supported`);
  const treatment = properties.text('TreatMissingData', 'missing');
  const missingData = MISSING.find((known) => known === treatment);
  if (!missingData) throw new Error(`${properties.where}: TreatMissingData ${treatment} is not supported`);
  return {
    evaluationPeriods,
    datapointsToAlarm: properties.number('DatapointsToAlarm', evaluationPeriods),
    comparison,
    threshold,
    missingData,
    breaches: (value: number) => compare(value, threshold),
  };
}

function compile(query: PropertyReader): MetricExpression {
  try {
    return compileMetricMath(query.text('Expression'));
  } catch (error) {
    throw new Error(`${query.where}: ${error instanceof Error ? error.message : error}`);
  }
}

function readMetric(metric: PropertyReader, statistic: string): MetricQuery {
  const known = Object.keys(STATISTICS).find((name): name is Statistic => name === statistic);
  if (!known) throw new Error(`${metric.where}: the statistic ${statistic} is not supported`);
  const dimensions = metric
    .records('Dimensions')
    .map((dimension) => [dimension.text('Name'), dimension.text('Value')] as const);
  return {
    key: metricKey(metric.text('Namespace'), metric.text('MetricName'), dimensions),
    statistic: known,
  };
}

/**
 * Returns the id of the one query whose data is returned. @throws Error if several return data, which is the
 * default.
 */
function watchedId(where: string, queries: readonly PropertyReader[]): string {
  const returned = queries.filter((query) => query.flag('ReturnData', true));
  const [watched, ...others] = returned;
  if (!watched || others.length > 0) throw new Error(`${where}: exactly one query must return data`);
  return watched.text('Id', 'metric');
}

/** @throws Error for an id that does not exist, and for expressions that refer to each other in a cycle. */
function checkReferences(
  where: string,
  metrics: ReadonlyMap<string, MetricQuery>,
  expressions: ReadonlyMap<string, MetricExpression>,
): void {
  const visit = (id: string, path: readonly string[]) => {
    if (path.includes(id)) throw new Error(`${where}: ${[...path, id].join(' needs ')}`);
    const expression = expressions.get(id);
    if (!expression && !metrics.has(id)) throw new Error(`${where}: there is no metric ${id}`);
    for (const needed of expression?.ids ?? []) visit(needed, [...path, id]);
  };
  for (const id of expressions.keys()) visit(id, []);
}
