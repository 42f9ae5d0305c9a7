import { Duration } from 'aws-cdk-lib';
import { type Alarm, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { TABLE_INDEXES } from '../shared/contract/resource-names.ts';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { ServiceFunction } from './function.ts';
import { createServiceMetric } from './observability.ts';
import type { TasksTable } from './tasks-table.ts';

export interface TaskFaultAlarmsProps {
  readonly alarms: StackAlarms;
  /** Those for whose answer nobody waits, and of whom nobody notices that they do not come to an end. */
  readonly unheard: readonly ServiceFunction[];
  readonly table: TasksTable;
  /** Alarm when so many tasks fail within an hour. */
  readonly failedTasks: number;
  /** Alarm when so many boxes are lost within an hour. */
  readonly lostContainers: number;
  /** Alarm when so many dollars go to models within a day. */
  readonly modelUsd: number;
}

/** All of them together. A metric without data in a period counts as 0: otherwise the sum would have none either, and nothing would be seen. */
const sum = (label: string, metrics: readonly Metric[]): MathExpression =>
  new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    label,
    period: FAULT_PERIOD,
    usingMetrics: Object.fromEntries(
      metrics.map((metric, index) => [`m${index}`, metric.with({ statistic: 'Sum' })]),
    ),
  });

/** Alarms on what goes wrong with many tasks at once, and on what it costs. */
export class TaskFaultAlarms extends Construct {
  /** Of budgets: models cost too much, or a budget has stopped work. */
  readonly budgetAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: TaskFaultAlarmsProps) {
    super(scope, id);
    const { alarms, table } = props;
    const hour = Duration.hours(1);
    alarms.add(this, 'FailedTasks', {
      metric: createServiceMetric(this, 'failures', hour),
      threshold: props.failedTasks,
      meaning: `${props.failedTasks} tasks or more have failed within an hour.`,
      runbook: 'failed-tasks',
    });
    alarms.add(this, 'LostContainers', {
      metric: createServiceMetric(this, 'lostContainers', hour),
      threshold: props.lostContainers,
      meaning: `${props.lostContainers} boxes or more were lost within an hour, did not start, or fell silent.`,
      runbook: 'lost-containers',
    });
    const modelCost = alarms.add(this, 'ModelCost', {
      metric: createServiceMetric(this, 'costUsd', Duration.days(1)),
      threshold: props.modelUsd,
      meaning: `Models have cost $${props.modelUsd} or more within a day.`,
      runbook: 'model-cost',
    });
    const budgetStops = alarms.add(this, 'BudgetStops', {
      metric: createServiceMetric(this, 'budgetStops', hour),
      threshold: 1,
      meaning:
        'A task was stopped before a launch, or models were not asked about its work, because a budget could have been exceeded.',
      runbook: 'budget-stops',
    });
    this.budgetAlarms = [modelCost, budgetStops];
    alarms.add(this, 'ReviewsNotRun', {
      metric: createServiceMetric(this, 'reviewsNotRun', hour),
      threshold: 1,
      meaning: 'Work went on although it was to be attacked and was not.',
      runbook: 'reviews-not-run',
    });
    alarms.add(this, 'FunctionErrors', {
      metric: sum(
        'Background functions that did not come to an end',
        props.unheard.map(({ lambda }) => lambda.metricErrors()),
      ),
      threshold: 1,
      meaning: `One of ${props.unheard.map(({ name }) => name).join(', ')} has failed, has run out of time or memory, or could not start.`,
      runbook: 'logged-errors',
    });
    alarms.add(this, 'TableThrottles', {
      metric: sum('Throttled requests of the table and its indexes', [
        table.table.metric('ReadThrottleEvents'),
        table.table.metric('WriteThrottleEvents'),
        // An index that cannot follow holds up the writes of the table.
        ...Object.values(TABLE_INDEXES).map(({ name }) =>
          table.table.metric('WriteThrottleEvents', {
            dimensionsMap: { TableName: table.table.tableName, GlobalSecondaryIndexName: name },
          }),
        ),
      ]),
      threshold: 1,
      meaning: 'DynamoDB has refused requests: a partition, an index or the account is at its limit.',
      runbook: 'throttles',
    });
    alarms.add(this, 'FunctionThrottles', {
      // Of the whole account and region, which is one metric and not one for each function: they all draw on one limit.
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Throttles',
        statistic: 'Sum',
        period: FAULT_PERIOD,
      }),
      threshold: 1,
      meaning: 'Invocations of Lambda functions were refused in this account, because too many ran at once.',
      runbook: 'throttles',
    });
  }
}
