import type { ResolvedResource } from '../ports.ts';
import { type Properties, propertiesOf } from '../properties.ts';
import { compilePattern, type Matcher } from './pattern.ts';
import { parseRate } from './schedule.ts';

export interface Rule {
  readonly name: string;
  readonly arn: string;
  readonly account: string;
  readonly region: string;
  /** Milliseconds between two runs, for a rule with a schedule. */
  readonly every: number | undefined;
  /** For a rule with an event pattern. */
  readonly matches: Matcher | undefined;
  readonly targets: readonly Target[];
}

export interface Target {
  readonly functionArn: string;
  /** Constant input instead of the event. */
  readonly input: unknown;
}

/** Reads the enabled rules of a template. Throws an error that names what is not supported. */
export function readRules(resources: readonly ResolvedResource[]): readonly Rule[] {
  return resources.filter(({ type }) => type === 'AWS::Events::Rule').flatMap(readRule);
}

function readRule(resource: ResolvedResource): readonly Rule[] {
  const properties = propertiesOf(resource);
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
  if (properties.text('EventBusName', 'default') !== 'default') {
    throw new Error(`${properties.where}: there is the default event bus only`);
  }
  const name = properties.text('Name', resource.logicalId);
  const targets = properties.records('Targets').map(readTarget);
  // A rule and its functions are of one stack; what it has no function for, it does not deliver.
  const [, , , region = '', account = ''] = targets[0]?.functionArn.split(':') ?? [];
  try {
    return [
      {
        name,
        arn: `arn:aws:events:${region}:${account}:rule/${name}`,
        account,
        region,
        every: properties.has('ScheduleExpression')
          ? parseRate(properties.text('ScheduleExpression'))
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

/** A failed delivery is reported and not repeated, so that RetryPolicy and DeadLetterConfig have no effect here. */
function readTarget(target: Properties): Target {
  target.only('Id', 'Arn', 'Input', 'RetryPolicy', 'DeadLetterConfig');
  const functionArn = target.text('Arn');
  if (!/^arn:[^:]+:lambda:[^:]*:[^:]*:function:/.test(functionArn)) {
    throw new Error(`${target.where}: the target ${functionArn} is not a Lambda function`);
  }
  return { functionArn, input: target.has('Input') ? JSON.parse(target.text('Input')) : undefined };
}
