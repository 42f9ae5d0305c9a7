import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALARM_RUNBOOK_NAMES } from '../../infra/alarms.ts';
import { REPOSITORY_ROOT } from '../../infra/build.ts';
import { compileMetricMath } from '../../local/cloudwatch/metric-math.ts';
import { METRIC_NAMES } from '../../shared/contract/resource-names.ts';
import { FUNCTION_IDS, only, synthesise, text } from './synthesise.ts';

const OPTIONAL = {
  'assay:forgeSecretArn': 'arn:aws:secretsmanager:us-east-1:123456789012:secret:forge-AbCdEf',
  'assay:forges': '[{"url":"https://github.com/acme","forge":"github"}]',
  'assay:otlpEndpoint': 'https://collector.example/v1/traces',
};
const usual = synthesise();
/** With the parts that a deployment has only where they are configured. */
const template = synthesise(OPTIONAL);
const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
const runbook = (description: string): string | undefined =>
  /Runbook: (docs\/runbooks\/[\w-]+\.md)$/.exec(description)?.[1];

describe('every alarm', () => {
  it.each(alarms)('%s says what it means and links a page that exists', (_id, { Properties }) => {
    const page = runbook(Properties.AlarmDescription);
    expect(page).toBeDefined();
    expect(existsSync(join(REPOSITORY_ROOT, page ?? ''))).toBe(true);
  });

  it.each(alarms)('%s reaches the topic and is not set off by missing data', (_id, { Properties }) => {
    expect(Properties.TreatMissingData).toBe('notBreaching');
    expect(Properties.AlarmActions.map(text)).toEqual([expect.stringMatching('^<AlarmsTopic')]);
  });

  it('has its page used, and every page has an alarm', () => {
    const pages = readdirSync(join(REPOSITORY_ROOT, 'docs/runbooks'));
    expect(new Set(pages)).toEqual(new Set(ALARM_RUNBOOK_NAMES.map((name) => `${name}.md`)));
    const linked = alarms.map(([, { Properties }]) => runbook(Properties.AlarmDescription));
    expect(new Set(linked)).toEqual(new Set(pages.map((page) => `docs/runbooks/${page}`)));
  });

  it('has a page that says what it means and what to do', () => {
    for (const name of ALARM_RUNBOOK_NAMES) {
      const page = readFileSync(join(REPOSITORY_ROOT, `docs/runbooks/${name}.md`), 'utf8');
      expect(page).toContain('**It means:**');
      expect(page).toMatch(/^1\. /m);
    }
  });

  it('has pages that say how often a launch is tried', () => {
    const counts = Object.values(template.findResources('AWS::SQS::Queue')).flatMap(
      ({ Properties }) => Properties.RedrivePolicy?.maxReceiveCount ?? [],
    );
    expect(new Set(counts).size).toBe(1);
    for (const name of ['dispatcher-errors', 'launch-dead-letters'])
      expect(readFileSync(join(REPOSITORY_ROOT, `docs/runbooks/${name}.md`), 'utf8')).toMatch(
        new RegExp(`\\b${counts[0].toLocaleString('en')} (tries|times)`),
      );
  });

  it('is there for what the stack is about', () => {
    expect(alarms.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual(
      [
        'AnalyticsStreamLag',
        'AnalyticsStreamLost',
        'ApiServerErrors',
        'ConductorStreamLag',
        'ConductorStreamLost',
        'DeadLettersOpen',
        'DispatcherErrors',
        'FaultsBudgetStops',
        'FaultsFailedTasks',
        'FaultsFunctionErrors',
        'FaultsFunctionThrottles',
        'FaultsLostContainers',
        'FaultsModelCost',
        'FaultsReviewsNotRun',
        'FaultsTableThrottles',
        'ForgeDeadLettersNotEmpty',
        'ObservabilityLoggedErrors',
        'ObservabilityUnverifiedRatio',
        'ReconcilerErrors',
        'VerificationCascadeFailures',
        'VerificationJanitorFailures',
        'WorkforceDeadLettersNotEmpty',
        ...['Agents1', 'Agents2', 'Agents3', 'Gates'].map((queue) => `Workforce${queue}OldestMessage`),
      ].sort(),
    );
  });
});

it('the page on deploying counts the metrics and the polled queues that are paid for', () => {
  const metrics = Object.values(usual.findResources('AWS::CloudWatch::Alarm')).flatMap(({ Properties }) => {
    const inputs: readonly { readonly MetricStat?: unknown }[] = Properties.Metrics ?? [{ MetricStat: 1 }];
    return inputs.filter(({ MetricStat }) => MetricStat !== undefined);
  }).length;
  const dollars = ((metrics - 10) / 10).toFixed(2);
  const page = readFileSync(join(REPOSITORY_ROOT, 'docs/how-to/deploy.md'), 'utf8');
  expect(page).toContain(
    `| Alarms: ${metrics} metrics at $0.10, 10 of them free | ${dollars} | ${dollars} |`,
  );
  const sources = Object.values(usual.findResources('AWS::Lambda::EventSourceMapping'));
  const polled = sources.map(({ Properties }) => text(Properties.EventSourceArn));
  const queues = polled.filter((arn) => arn.startsWith('<Workforce'));
  expect(queues.filter((arn) => arn.includes('DeadLetters'))).toHaveLength(1);
  expect(page).toContain(`Lambda polling ${queues.length} empty queues, one of them for dead letters`);
});

describe('a function that does not come to an end', () => {
  /** Who else notices it: the API's server errors, the lag of the stream, failed executions, a dead letter, or whoever called it. */
  const HEARD_OTHERWISE =
    /^(Apia|Apip|ConductorConduct|AnalyticsLedger|Verification|DispatcherLaunch|ReconcilerReconcile|DeliveryDeliver|Minter|ModelsGateway|ForgeTell|NotifySend)/;

  it('sets off an alarm where nobody else notices it', () => {
    const { Properties } = only(template, 'AWS::CloudWatch::Alarm', 'FaultsFunctionErrors');
    const watched = (Properties.Metrics as { MetricStat?: { Metric: { Dimensions: unknown[] } } }[])
      .flatMap(({ MetricStat }) => MetricStat?.Metric.Dimensions ?? [])
      .map((each) => text((each as { Value: unknown }).Value));
    const functions = Object.values(FUNCTION_IDS).filter((id) => !HEARD_OTHERWISE.test(id));
    expect(watched.map((name) => name.replace(/^<|Function[0-9A-F]{8}>$/g, '')).sort()).toEqual(
      functions.toSorted(),
    );
  });
});

describe('the unverified alarm', () => {
  const { Properties } = only(template, 'AWS::CloudWatch::Alarm', 'ObservabilityUnverifiedRatio');
  const [expression, ...inputs] = Properties.Metrics;

  it('divides unverified by all completions of a day', () => {
    expect(expression).toMatchObject({ Expression: 'IF(total >= 3, unverified / total)', ReturnData: true });
    const input = (Id: string, MetricName: string) => ({
      Id,
      ReturnData: false,
      MetricStat: {
        Metric: {
          Namespace: METRIC_NAMES.namespace,
          MetricName,
          Dimensions: [{ Name: METRIC_NAMES.dimension, Value: METRIC_NAMES.service }],
        },
        Period: 86_400,
        Stat: 'Sum',
      },
    });
    expect(inputs).toEqual([input('total', 'Completions'), input('unverified', 'UnverifiedCompletions')]);
    expect(Properties.EvaluationPeriods).toBe(1);
  });

  it.each([
    { unverified: 1, total: 1, fires: false },
    { unverified: 2, total: 2, fires: false },
    { unverified: 3, total: 3, fires: true },
    { unverified: 3, total: 10, fires: false },
    { unverified: 4, total: 10, fires: true },
    { unverified: 0, total: 100, fires: false },
  ])('fires ($fires) for $unverified unverified of $total', ({ unverified, total, fires }) => {
    const values = new Map(Object.entries({ total, unverified }));
    const ratio = compileMetricMath(expression.Expression).evaluate((id) => values.get(id) ?? null);
    expect(Properties.ComparisonOperator).toBe('GreaterThanThreshold');
    expect(ratio !== null && ratio > Properties.Threshold).toBe(fires);
  });
});

describe('the topic', () => {
  it('is encrypted with a key that CloudWatch of this account may use', () => {
    const { KmsMasterKeyId } = only(template, 'AWS::SNS::Topic', 'Alarms').Properties;
    expect(text(KmsMasterKeyId)).toMatch(/^<AlarmsKey/);
    const { KeyPolicy, EnableKeyRotation } = only(template, 'AWS::KMS::Key').Properties;
    expect(EnableKeyRotation).toBe(true);
    expect(KeyPolicy.Statement).toContainEqual({
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
  });

  it('takes what CloudWatch publishes, and nothing without TLS', () => {
    const { PolicyDocument } = only(template, 'AWS::SNS::TopicPolicy', 'Alarms').Properties;
    expect(PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });
});

describe('the dashboard', () => {
  it('is well-formed and shows the ratio that the alarm is about', () => {
    const { DashboardBody } = only(template, 'AWS::CloudWatch::Dashboard').Properties;
    const { widgets } = JSON.parse(text(DashboardBody));
    expect(widgets.length).toBeGreaterThanOrEqual(12);
    expect(JSON.stringify(widgets[0])).toContain('IF(total >= 3, unverified / total)');
  });
});
