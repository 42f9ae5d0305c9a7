import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCloudWatch } from '../../local/cloudwatch/index.ts';
import { createOperationCounters } from '../../local/counters.ts';
import { createEcs } from '../../local/ecs/index.ts';
import { createEventBus } from '../../local/events/index.ts';
import { createInjectedFaults } from '../../local/fault-injection.ts';
import type { ResolvedResource } from '../../local/shared-types.ts';
import { createStepFunctions } from '../../local/step-functions/index.ts';
import { type AssemblyStack, readAssembly } from '../../local/template/assets.ts';
import { resolveTemplate } from '../../local/template.ts';
import { METRIC_NAMES } from '../../shared/contract/resource-names.ts';
import { CREDENTIALS } from '../local/support/resources.ts';
import { assemblyFolder } from './synthesise.ts';

const place = { region: 'us-east-1', accountId: '000000000000' };
const endpoint = 'http://127.0.0.1:1';

describe('the synthesised template', () => {
  let folder: string;
  let stack: AssemblyStack;
  let resources: readonly ResolvedResource[];
  const of = (type: string) => resources.filter((resource) => resource.type === type);
  const calls: Array<readonly [name: string, payload: unknown]> = [];
  const lambda = {
    invoke: async (name: string, payload: unknown) => {
      calls.push([name, payload]);
      return { payload: null };
    },
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-template-'));
    stack = readAssembly(assemblyFolder());
    resources = resolveTemplate(stack, {
      sqsEndpoint: endpoint,
      apiEndpoint: endpoint,
      functionUrl: endpoint,
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has state machines that the interpreter runs', async () => {
    const types = of('AWS::StepFunctions::StateMachine').map(
      ({ properties }) => properties['StateMachineType'],
    );
    expect(types.toSorted()).toEqual(['EXPRESS', 'EXPRESS']);
    const counters = createOperationCounters();
    const states = createStepFunctions({
      credentials: CREDENTIALS,
      ...place,
      resources,
      lambda,
      sqsEndpoint: endpoint,
      counters,
      onLog: () => {},
    });
    expect(states.executions()).toEqual([]);
    await states.stop();
  });

  it('has task definitions that run here, each from its image’s build context', async () => {
    expect(of('AWS::ECS::TaskDefinition')).toHaveLength(2);
    const directories: Array<string | null> = [];
    const imageDirectory = (uri: unknown) => {
      directories.push(stack.assets.image(uri));
      return directories.at(-1) ?? null;
    };
    const ecs = createEcs({
      ...place,
      resources,
      imageDirectory,
      dataDir: join(folder, 'data'),
      counters: createOperationCounters(),
      faults: createInjectedFaults(),
      bus: { put: () => {} },
      environmentFor: () => ({}),
      capacity: 1,
      onLog: () => {},
      onError: () => {},
    });
    await ecs.stop();
    expect(directories).toEqual(Array(2).fill(expect.stringContaining(assemblyFolder())));
  });

  it('has schedules for the reconciler, the compactor and dead letters, and hears of boxes that have stopped', async () => {
    const bus = createEventBus({
      resources,
      lambda,
      counters: createOperationCounters(),
      sendMessage: async () => {},
      onError: (message) => {
        throw new Error(message);
      },
    });
    await bus.fireSchedules();
    const clusterArn = `arn:aws:ecs:us-east-1:000000000000:cluster/${of('AWS::ECS::Cluster')[0]?.properties['ClusterName']}`;
    const event = (lastStatus: string) => ({
      source: 'aws.ecs',
      'detail-type': 'ECS Task State Change',
      detail: { clusterArn, lastStatus },
    });
    bus.put(event('RUNNING'));
    bus.put(event('STOPPED'));
    await bus.stop();
    const reconciler = expect.stringMatching(/:function:Reconciler/);
    const compactor = expect.stringMatching(/:function:AnalyticsCompactor/);
    const deadLetters = expect.stringMatching(/:function:DeadLetters/);
    expect(calls).toEqual([
      [reconciler, { kind: 'schedule' }],
      [compactor, expect.objectContaining({ 'detail-type': 'Scheduled Event' })],
      [deadLetters, { kind: 'schedule' }],
      [reconciler, expect.objectContaining(event('STOPPED'))],
    ]);
  });

  it('has the alarm on the unverified ratio, which the metrics of the functions drive', () => {
    const now = Date.now();
    const cloudWatch = createCloudWatch({ resources, now: () => now });
    const ratio = () => cloudWatch.alarms().find(({ name }) => name.includes('UnverifiedRatio'))?.state;
    expect(ratio()).toBe('OK');
    const names = [METRIC_NAMES.completions, METRIC_NAMES.unverifiedCompletions];
    const directive = {
      Namespace: METRIC_NAMES.namespace,
      Dimensions: [[METRIC_NAMES.dimension]],
      Metrics: names.map((Name) => ({ Name })),
    };
    const emit = (completions: number, unverified: number) =>
      cloudWatch.ingest(
        JSON.stringify({
          _aws: { Timestamp: now, CloudWatchMetrics: [directive] },
          [METRIC_NAMES.dimension]: METRIC_NAMES.service,
          [METRIC_NAMES.completions]: completions,
          [METRIC_NAMES.unverifiedCompletions]: unverified,
        }),
      );
    emit(10, 3);
    expect(ratio()).toBe('OK');
    emit(0, 1);
    expect(ratio()).toBe('ALARM');
  });
});
