import { createResourcePropertyReader, type PropertyReader } from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';
import { compilePattern, type EventMatcher } from './event-pattern.ts';
import { compileInputTransformer } from './input-transformer.ts';

export const DEFAULT_BUS = 'default';

export interface EventBusRule {
  readonly name: string;
  readonly arn: string;
  /** Name of its bus. */
  readonly bus: string;
  readonly account: string;
  readonly region: string;
  /** Milliseconds between two runs, for a rule with a schedule. */
  readonly every: number | undefined;
  /** For a rule with an event pattern. */
  readonly matches: EventMatcher | undefined;
  readonly targets: readonly RuleTarget[];
}

/** A function, a topic, or a queue. */
export interface RuleTarget {
  readonly arn: string;
  readonly kind: 'lambda' | 'sns' | 'sqs';
  /** Computes the target's input from the event; null: the event itself. */
  readonly input: ((event: unknown) => unknown) | null;
}

/** Reads the enabled rules of a template. @throws Error that names the unsupported property. */
export function readRules(resources: readonly ResolvedResource[]): readonly EventBusRule[] {
  const buses = new Set([DEFAULT_BUS, ...eventBusNames(resources)]);
  return resources
    .filter(({ type }) => type === 'AWS::Events::Rule')
    .flatMap((rule) => readRule(rule, buses));
}

/** Returns the names of the buses of a template. */
export const eventBusNames = (resources: readonly ResolvedResource[]): readonly string[] =>
  resources
    .filter(({ type }) => type === 'AWS::Events::EventBus')
    .map((bus) => createResourcePropertyReader(bus).text('Name'));

function readRule(resource: ResolvedResource, buses: ReadonlySet<string>): readonly EventBusRule[] {
  const properties = createResourcePropertyReader(resource);
  properties.only(
    'Name',
    'Description',
    'State',
    'ScheduleExpression',
    'EventPattern',
    'EventBusName',
    'Targets',
    'Tags',
  );
  if (properties.text('State', 'ENABLED') === 'DISABLED') return [];
  const bus = properties.text('EventBusName', DEFAULT_BUS);
  if (!buses.has(bus)) throw new Error(`${properties.where}: there is no event bus ${bus}`);
  if (bus !== DEFAULT_BUS && properties.has('ScheduleExpression'))
    throw new Error(`${properties.where}: schedules are of the default bus only`);
  const name = properties.text('Name', resource.logicalId);
  const targets = properties.records('Targets').map(readTarget);
  // A rule and its targets belong to the same stack, so account and region are those of the first target.
  const [, , , region = '', account = ''] = targets[0]?.arn.split(':') ?? [];
  try {
    return [
      {
        name,
        arn: `arn:aws:events:${region}:${account}:rule/${bus === DEFAULT_BUS ? '' : `${bus}/`}${name}`,
        bus,
        account,
        region,
        every: properties.has('ScheduleExpression')
          ? parseScheduleRate(properties.text('ScheduleExpression'))
          : undefined,
        matches: properties.has('EventPattern')
          ? compilePattern(properties.values['EventPattern'])
          : undefined,
        targets,
      },
    ];
  } catch (error) {
    throw new Error(`${properties.where}: ${error instanceof Error ? error.message : error}`);
  }
}

const KINDS = [
  ['lambda', /^arn:[^:]+:lambda:[^:]*:[^:]*:function:/],
  ['sns', /^arn:[^:]+:sns:[^:]*:[^:]*:/],
  ['sqs', /^arn:[^:]+:sqs:[^:]*:[^:]*:/],
] as const;

/**
 * A failed delivery is reported and not repeated, so that RetryPolicy and DeadLetterConfig have no effect
 * here.
 */
function readTarget(target: PropertyReader): RuleTarget {
  target.only('Id', 'Arn', 'Input', 'InputTransformer', 'RetryPolicy', 'DeadLetterConfig');
  const arn = target.text('Arn');
  const [kind] = KINDS.find(([, pattern]) => pattern.test(arn)) ?? [];
  if (!kind)
    throw new Error(`${target.where}: the target ${arn} is neither a Lambda function, a topic nor a queue`);
  return { arn, kind, input: readInput(target) };
}

function readInput(target: PropertyReader): RuleTarget['input'] {
  if (target.has('InputTransformer')) return compileInputTransformer(target.record('InputTransformer'));
  if (!target.has('Input')) return null;
  const input: unknown = JSON.parse(target.text('Input'));
  return () => input;
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Milliseconds between two runs of `rate(5 minutes)`. Throws for any other kind of schedule, by name. */
export function parseScheduleRate(expression: string): number {
  const [, count, unit, plural] = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const milliseconds = Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
  // EventBridge insists on the grammar: 1 minute, 2 minutes.
  if (!milliseconds || (count === '1') === (plural === 's')) {
    throw new Error(`ScheduleExpression ${expression} is not supported: only rate(...) is`);
  }
  return milliseconds;
}
