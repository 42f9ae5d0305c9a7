import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEcs, type Ecs, type EcsOptions } from '../../../local/ecs/index.ts';
import type { BusEvent } from '../../../local/shared-types.ts';

const CLUSTER_ARN = 'arn:aws:ecs:us-east-1:000000000000:cluster/boxes';

/** The answer of an action, as the tests look at it. */
export interface Body {
  readonly __type?: string;
  readonly message?: string;
  readonly resourceIds?: readonly string[];
  readonly tasks: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly taskArn: string }>;
  readonly failures: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly taskArns: readonly string[];
}

export interface TestEcs {
  readonly ecs: Ecs;
  readonly dataDir: string;
  readonly events: readonly BusEvent[];
  readonly logs: readonly string[];
  /** What a person should know. */
  readonly errors: readonly string[];
  readonly faults: EcsOptions['faults'];
  readonly counts: Readonly<Record<string, number>>;
  call(action: string, body?: object): Promise<Body>;
  run(body?: object): Promise<Body>;
  /** Waits until a line with this text was written by a box. */
  logged(text: string): Promise<void>;
  /** Waits for the event that a task, any or this one, has stopped. */
  stopped(taskArn?: string): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

/** ECS with one task definition `box`, whose program is `source`, in a folder of its own. */
export async function startEcs(
  source: string,
  { container = {}, ...options }: Partial<EcsOptions> & { readonly container?: object } = {},
): Promise<TestEcs> {
  const root = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'assay-ecs-')));
  const directory = join(root, 'image');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'main.mjs'), source);
  const events: BusEvent[] = [];
  const logs: string[] = [];
  const errors: string[] = [];
  const counts: Record<string, number> = {};
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const until = <T>(find: () => T | undefined) =>
    new Promise<T>((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
    });
  const faults = {
    duplicateMessages: false,
    lostRemovals: false,
    duplicateStream: false,
    shuffle: false,
    runTaskCapacityFailures: 0,
  };
  const ecs = createEcs({
    resources: resources(container),
    imageDirectory: (uri) => (uri === 'registry/image:tag' ? directory : null),
    dataDir: root,
    counters: {
      add: (service, operation) => {
        const key = `${service}.${operation}`;
        counts[key] = (counts[key] ?? 0) + 1;
      },
      snapshot: () => ({}),
      reset: () => {},
    },
    faults,
    bus: {
      put: (event) => {
        events.push(event);
        changed();
      },
    },
    environmentFor: () => ({}),
    capacity: 10,
    onLog: (line) => {
      logs.push(line);
      changed();
    },
    onError: (message) => errors.push(message),
    accountId: '000000000000',
    region: 'us-east-1',
    ...options,
  });
  const call = async (action: string, body: object = {}) =>
    (await ecs.handle(action, { cluster: CLUSTER_ARN, ...body })).body as Body;
  return {
    ecs,
    dataDir: root,
    events,
    logs,
    errors,
    faults,
    counts,
    call,
    run: (body = {}) => call('RunTask', { taskDefinition: 'box', ...body }),
    logged: async (text) => {
      await until(() => logs.find((line) => line.includes(text)));
    },
    stopped: async (taskArn) =>
      await until(
        () =>
          events.find(
            ({ detail }) => detail['lastStatus'] === 'STOPPED' && (!taskArn || detail['taskArn'] === taskArn),
          )?.detail,
      ),
    stop: async () => {
      await ecs.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export function resources(container: object = {}) {
  return [
    {
      logicalId: 'Cluster',
      type: 'AWS::ECS::Cluster',
      properties: { ClusterName: 'boxes' },
      metadata: {},
    },
    {
      logicalId: 'Box',
      type: 'AWS::ECS::TaskDefinition',
      properties: {
        Family: 'box',
        ContainerDefinitions: [{ Name: 'main', Image: 'registry/image:tag', ...container }],
      },
      metadata: {},
    },
  ];
}

/** An override of the container's command and environment. */
export const overrides = (command: readonly string[], environment: Record<string, string> = {}) => ({
  overrides: {
    containerOverrides: [
      {
        name: 'main',
        command,
        environment: Object.entries(environment).map(([name, value]) => ({ name, value })),
      },
    ],
  },
});
