import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  SingleValueWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { METRIC_NAMES } from '../shared/contract/resource-names.ts';
import { CONTAINER_LOSS_REASONS } from '../shared/control/ledger/container-losses.ts';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { TaskHttpApi } from './api.ts';
import type { LaunchDispatcher } from './dispatcher.ts';
import type { VerificationStateMachines } from './verification.ts';
import type { WorkQueuesAndContainers } from './work-queues-and-containers.ts';

export interface ObservabilityProps {
  readonly alarms: StackAlarms;
  readonly api: TaskHttpApi;
  readonly workforce: WorkQueuesAndContainers;
  readonly verification: VerificationStateMachines;
  readonly dispatcher: LaunchDispatcher;
  /** Alarm when the share of unverified completions of a day is above this, 0 to 1. */
  readonly unverifiedThreshold: number;
  /** With fewer completions than this in a day, the ratio says nothing. */
  readonly minCompletions: number;
}

const DAY = Duration.days(1);

export type MetricName = Exclude<keyof typeof METRIC_NAMES, 'namespace' | 'dimension' | 'service' | 'reason'>;

/** A metric of our own, which the functions emit in their logs. */
export const createServiceMetric = (scope: Construct, name: MetricName, period: Duration): Metric =>
  new Metric({
    // Of this stack: others in the account have metrics of these names, too.
    namespace: Stack.of(scope).stackName,
    metricName: METRIC_NAMES[name],
    dimensionsMap: { [METRIC_NAMES.dimension]: METRIC_NAMES.service },
    statistic: 'Sum',
    period,
  });

/** The share of a day's completions that had no evidence of ours; no value at all below the minimum. */
const unverifiedRatio = (scope: Construct, minCompletions: number): MathExpression =>
  new MathExpression({
    expression: `IF(total >= ${minCompletions}, unverified / total)`,
    label: 'Unverified ratio',
    period: DAY,
    usingMetrics: {
      total: createServiceMetric(scope, 'completions', DAY),
      unverified: createServiceMetric(scope, 'unverifiedCompletions', DAY),
    },
  });

const graph = (title: string, ...left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });

/** The alarm that the product is about, and the dashboard: one row for each question. */
export class Observability extends Construct {
  readonly dashboard: Dashboard;
  /** Fires when too many completions have no evidence of our own. */
  readonly unverifiedRatioAlarm: Alarm;

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const ratio = unverifiedRatio(this, props.minCompletions);
    this.unverifiedRatioAlarm = props.alarms.add(this, 'UnverifiedRatio', {
      metric: ratio,
      threshold: props.unverifiedThreshold,
      // Strictly above: exactly at the threshold is still fine.
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      meaning: `More than ${100 * props.unverifiedThreshold} % of the completions of a day have no evidence of our own.`,
      runbook: 'unverified-ratio',
    });
    props.alarms.add(this, 'LoggedErrors', {
      metric: new Metric({
        namespace: Stack.of(this).stackName,
        metricName: METRIC_NAMES.loggedErrors,
        statistic: 'Sum',
        period: FAULT_PERIOD,
      }),
      threshold: 1,
      meaning: 'A function has met a failure that it survived, and tasks may wait for what it could not do.',
      runbook: 'logged-errors',
    });
    this.dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.days(7) });
    this.dashboard.addWidgets(...this.results(ratio));
    this.dashboard.addWidgets(...this.cascade(props.verification));
    this.dashboard.addWidgets(...this.launches(props));
    this.dashboard.addWidgets(...this.api(props.api));
  }

  /** Can the results be trusted? */
  private results(ratio: IMetric) {
    return [
      new SingleValueWidget({ title: 'Unverified ratio, one day', metrics: [ratio], width: 8, height: 6 }),
      graph(
        'Completions',
        createServiceMetric(this, 'completions', DAY),
        createServiceMetric(this, 'unverifiedCompletions', DAY),
        createServiceMetric(this, 'failures', DAY),
      ),
      graph(
        'Asked a person, or could not run',
        createServiceMetric(this, 'referrals', DAY),
        createServiceMetric(this, 'gatesCouldNotRun', DAY),
      ),
    ];
  }

  /** What does it cost, and how often is a stronger model needed? */
  private cascade({ cascade, janitor }: VerificationStateMachines) {
    const executions = (machine: IStateMachine, label: string) => [
      machine.metricSucceeded({ label: `${label} ended` }),
      machine.metricFailed({ label: `${label} failed` }),
    ];
    return [
      graph('Cost of models (USD)', createServiceMetric(this, 'costUsd', DAY)),
      graph(
        'Attempts and escalations',
        createServiceMetric(this, 'attempts', DAY),
        createServiceMetric(this, 'escalations', DAY),
      ),
      graph('Executions', ...executions(cascade, 'Cascade'), ...executions(janitor, 'Janitor')),
    ];
  }

  /** Does work get started? */
  private launches({ workforce, dispatcher }: ObservabilityProps) {
    const labels = ['priority 1', 'priority 2', 'priority 3', 'gates'];
    const { lambda } = dispatcher.function;
    return [
      graph(
        'Oldest launch message (s)',
        ...workforce.queues.map((queue, index) =>
          queue.metricApproximateAgeOfOldestMessage({ label: labels[index] ?? '' }),
        ),
      ),
      graph(
        'Launch messages waiting',
        ...workforce.queues.map((queue, index) =>
          queue.metricApproximateNumberOfMessagesVisible({ label: labels[index] ?? '' }),
        ),
      ),
      graph(
        'Lost boxes, by reason',
        ...CONTAINER_LOSS_REASONS.map((reason) =>
          createServiceMetric(this, 'lostContainers', DAY).with({
            label: reason,
            dimensionsMap: { [METRIC_NAMES.dimension]: METRIC_NAMES.service, [METRIC_NAMES.reason]: reason },
          }),
        ),
      ),
      graph('Dispatcher', lambda.metricInvocations(), lambda.metricErrors(), lambda.metricThrottles()),
    ];
  }

  /** Is the API well? */
  private api({ api }: TaskHttpApi) {
    const sum = { statistic: 'Sum' };
    return [
      graph('Requests', api.metricCount(sum)),
      graph('Errors', api.metricClientError(sum), api.metricServerError(sum)),
      graph('Latency, p99 (ms)', api.metricLatency({ statistic: 'p99' })),
    ];
  }
}
