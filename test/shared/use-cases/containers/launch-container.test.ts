import { GetObjectCommand, type PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LaunchKind } from '../../../../shared/contract/launch-kind.ts';
import { LaunchAssignment } from '../../../../shared/contract/messages/assignment.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { determineCascadeStage } from '../../../../shared/control/task-commands/cascade-stage.ts';
import { MAX_EXCUSED_LAUNCHES } from '../../../../shared/control/task-commands/launch-limits.ts';
import { recordContainerExcused } from '../../../../shared/control/task-commands/recover.ts';
import type { TaskCommand } from '../../../../shared/control/task-commands/task-change.ts';
import { provideNoCredentials } from '../../../../shared/store/credential-provider.ts';
import type { DeliveryInvoker } from '../../../../shared/store/delivery-invoker.ts';
import type { EcsContainerClient } from '../../../../shared/store/ecs-containers.ts';
import { LaunchError, type LaunchErrorKind } from '../../../../shared/store/launch-error.ts';
import { ObjectStore } from '../../../../shared/store/object-store.ts';
import type { TaskStore } from '../../../../shared/store/task-store.ts';
import { launchContainer } from '../../../../shared/use-cases/containers/launch-container.ts';
import * as build from '../../../support/builders.ts';
import {
  CONTAINER_CAPACITY,
  createContainerRegister,
  createLaunches,
} from '../../../support/container-capacity.ts';

let task: Task;
const tasks = {
  get: async () => task,
  require: async () => task,
  applyCommand: async (_of: unknown, command: TaskCommand) => {
    task = command(task)?.task ?? task;
    return task;
  },
} as unknown as TaskStore;

let held: Map<string, { body: string; etag: number }>;
let signed: number;
let meanwhile: () => void;
const s3 = new S3Client({ region: 'us-east-1' });
/** As S3: conditional, and what is not there is not there. */
s3.send = (async (command: GetObjectCommand | PutObjectCommand) => {
  const input = command.input as unknown as Record<string, string | undefined>;
  const present = held.get(String(input['Key']));
  const gone = (name: string) => Object.assign(new Error(name), { name });
  if (command instanceof GetObjectCommand) {
    if (!present) throw gone('AccessDenied');
    const { body, etag } = present;
    meanwhile();
    return { Body: { transformToString: async () => body }, ETag: String(etag) };
  }
  if (input['IfMatch'] !== undefined && String(present?.etag) !== input['IfMatch'])
    throw gone('PreconditionFailed');
  held.set(String(input['Key']), { body: String(input['Body']), etag: (present?.etag ?? 0) + 1 });
  return {};
}) as unknown as S3Client['send'];
class Signing extends ObjectStore {
  override presignGet = async (key: string): Promise<string> => `https://s3.test/${key}?signed=${++signed}`;
  override presignDelete = async (key: string): Promise<string> =>
    `https://s3.test/${key}?signed=${++signed}`;
}

let refuses: LaunchErrorKind | null = 'capacity';
let says: string | null = 'arn';
let receiveCount = 1;
let register = createContainerRegister(100);
let launches = createLaunches();
let ran: string[] = [];
const boxes = {
  run: async (_kind: string, _family: string, launch: string) => {
    if (refuses !== null) throw new LaunchError(refuses, 'says ECS');
    ran.push(launch);
    return says;
  },
} as unknown as EcsContainerClient;
const deliveries = {
  invoke: async (launch: string) => {
    if (refuses !== null) throw new LaunchError(refuses, 'says Lambda');
    ran.push(launch);
  },
} as unknown as DeliveryInvoker;
beforeEach(() => {
  held = new Map();
  signed = 0;
  says = 'arn';
  receiveCount = 1;
  register = createContainerRegister(100);
  launches = createLaunches();
  refuses = 'capacity';
  ran = [];
  meanwhile = () => {};
});

const launch = (kind: LaunchKind = 'gates', after = 0, run = task.run) =>
  launchContainer(
    { schema_version: 1, kind, task_id: 'T1', attempt: 1, run },
    {
      tasks,
      objects: new Signing(s3, 'bucket'),
      containers: boxes,
      deliveries,
      launches,
      register,
      capacity: CONTAINER_CAPACITY,
      receiveCount,
      taskDefinitionFamilies: { agent: 'a', gates: 'g' },
      getCredential: provideNoCredentials,
      apiUrl: 'https://api.test',
      defaultAdapter: { kind: 'command', argv: ['true'], timeout_s: 1 },
      modelGateway: null,
      leaseSeconds: 120,
      backoffSeconds: 60,
      now: build.addSeconds(after),
    },
  );
const assignment = () => {
  const [only] = [...held.values()];
  const read = LaunchAssignment.parse(JSON.parse(only?.body ?? 'null'));
  return read.kind === 'agent' ? null : read;
};

describe('a box that has to wait for room', () => {
  it('finds URLs that were signed when it was started, and the same token', async () => {
    task = build.taskInReview();
    await expect(launch()).rejects.toThrow(LaunchError);
    const before = assignment();
    refuses = null;
    await launch('gates', 3_600);
    const after = assignment();
    expect(ran).toEqual(['T1/1/gates/1']);
    expect(after).toEqual({ ...before, patch_url: after?.patch_url, delete_url: after?.delete_url });
    const count = (url = ''): number => Number(url.split('=').at(-1));
    expect(count(after?.patch_url)).toBeGreaterThan(count(before?.patch_url));
    expect(count(after?.delete_url)).toBeGreaterThan(count(before?.delete_url));
    expect(held.size).toBe(1);
  });

  it.each(['before it is looked at', 'while it is looked at'])(
    'and has taken its assignment %s: it does not come back',
    async (when) => {
      task = build.taskInReview();
      await expect(launch()).rejects.toThrow(LaunchError);
      if (when.startsWith('before')) held.clear();
      else meanwhile = () => held.clear();
      refuses = null;
      await launch('gates', 60);
      expect([held.size, ran]).toEqual([0, ['T1/1/gates/1']]);
    },
  );
});

const ACCEPTED = {
  action: 'accept',
  reason: 'r',
  next_model: null,
  next_tier: null,
  at: build.FIXED_NOW.toISOString(),
} as const;

describe('deliveries that were lost until no retry was left', () => {
  const lost = build.launch({ number: 3, lost: true, retries_exhausted: true });
  const of = (delivery: Task['delivery']): Task =>
    build.taskInReview(
      {
        deliver: lost,
        verdict: build.verdict(),
        decision: ACCEPTED,
      },
      { delivery },
    );

  it('are given up, but what they did with leave to push is for the repository to say', async () => {
    const at = build.FIXED_NOW.toISOString();
    const work = { base_commit: build.fakeSha1('a'), tree: build.fakeSha1('b') };
    task = of({ ...work, state: 'pushing', branch: 'assay/T1', commit: null, reason: null, at });
    await launch('deliver');
    expect(task.delivery).toMatchObject({ state: 'pushing', reason: null });
    expect(determineCascadeStage(task)).toBe('find_branch');
    task = of(null);
    await launch('deliver');
    expect(task.delivery?.reason).toBe('3 deliveries were lost without a report');
  });
});

it('gives a challenger up where the deployment has none any more', async () => {
  task = build.taskInReview({ verification: build.verification(), challenge: build.challenge() });
  refuses = null;
  expect(await launch('challenger')).toBe('given_up');
  expect(task.attempts[0]?.challenge).toMatchObject({ outcome: 'refused', effect: { verdict: 'refer' } });
  expect(ran).toEqual([]);
});

describe('a box that ECS does not start', () => {
  const claimed = (): Task => build.task({ status: 'claimed', attempts: [build.attempt()] });
  const of: Readonly<Record<Exclude<LaunchKind, 'challenger'>, () => Task>> = {
    agent: claimed,
    gates: () => build.taskInReview(),
    deliver: () => build.taskInReview({ verdict: build.verdict(), decision: ACCEPTED }),
  };
  const KINDS = ['agent', 'gates', 'deliver'] as const;

  it.each(KINDS.flatMap((kind) => [[kind, 'capacity'] as const, [kind, 'unknown'] as const]))(
    'is not taken for lost while its message waits: %s, %s',
    async (kind, why) => {
      task = of[kind]();
      refuses = why;
      await expect(launch(kind)).rejects.toThrow(LaunchError);
      expect(task.attempts[0]?.[kind]).toMatchObject({
        lost: false,
        launched_at: build.addSeconds(60).toISOString(),
      });
      expect(task.retries).toBe(0);
    },
  );

  it.each([
    [
      'agent',
      { status: 'failed', failure: { code: 'launch_refused' }, attempts: [{ outcome: 'infra_failed' }] },
    ],
    [
      'gates',
      { status: 'in_review', attempts: [{ verification_failure: { failure_code: 'launch_refused' } }] },
    ],
    ['deliver', { status: 'in_review', delivery: { state: 'refused' } }],
  ] as const)('and never will ends the %s part, and says why', async (kind, end) => {
    task = of[kind]();
    refuses = 'fatal';
    expect(await launch(kind)).toBe('given_up');
    expect(task).toMatchObject(end);
    expect(JSON.stringify(task)).toContain(
      kind === 'deliver'
        ? 'Lambda refuses the delivery: says Lambda'
        : `ECS refuses the ${kind} container: says ECS`,
    );
  });

  it('and never will, after another had leave to push, has the repository asked', async () => {
    const decision = { action: 'accept', reason: 'r', next_model: null, next_tier: null } as const;
    const at = build.FIXED_NOW.toISOString();
    const work = { base_commit: build.fakeSha1('a'), tree: build.fakeSha1('b') };
    task = build.taskInReview(
      { verdict: build.verdict(), decision: { ...decision, at }, deliver: build.launch({ lost: true }) },
      { delivery: { ...work, state: 'pushing', branch: 'assay/T1', commit: null, reason: null, at } },
    );
    refuses = 'fatal';
    expect(await launch('deliver')).toBe('given_up');
    expect([task.delivery?.state, determineCascadeStage(task)]).toEqual(['pushing', 'find_branch']);
  });

  it.each(KINDS)(
    'or that is taken away is started again after a pause, and costs nothing: %s',
    async (kind) => {
      task = of[kind]();
      refuses = null;
      const { retries, attempts } = task;
      for (let round = 1; round <= MAX_EXCUSED_LAUNCHES; round += 1) {
        const after = round * 1_000;
        await launch(kind, after);
        expect(ran.at(-1)).toBe(`T1/1/${kind}/${round}`);
        const { run } = task;
        task =
          recordContainerExcused(task, 1, kind, round, 'CannotPullContainerError', build.addSeconds(after))
            ?.task ?? task;
        expect(task.run).toBe(run + 1);
        if (round < MAX_EXCUSED_LAUNCHES)
          await expect(launch(kind, after + 1)).rejects.toThrow('the next may at');
      }
      expect([task.retries, task.attempts.length]).toEqual([retries, attempts.length]);
      await launch(kind, 100_000);
      expect(JSON.stringify(task)).toContain(
        `10 ${kind === 'deliver' ? 'deliveries' : `${kind} containers`} did not start or were taken away; the last: CannotPullContainerError`,
      );
      expect(ran).toHaveLength(MAX_EXCUSED_LAUNCHES);
    },
  );
});

describe('a message that comes again', () => {
  it('when its box was started starts nothing, and writes nothing', async () => {
    task = build.task({ status: 'claimed', attempts: [build.attempt()] });
    refuses = null;
    expect(await launch('agent')).toBe('launched');
    const [{ version }, { etag }] = [task, [...held.values()][0] ?? { etag: 0 }];
    expect(await launch('agent', 60)).toBe('launched');
    expect([task.version, [...held.values()][0]?.etag]).toEqual([version, etag]);
    expect(ran).toEqual(['T1/1/agent/1']);
  });

  it('when its box, of which ECS had said nothing, reports just then is nothing', async () => {
    task = build.task({ status: 'claimed', attempts: [build.attempt()] });
    refuses = 'unknown';
    await expect(launch('agent')).rejects.toThrow(LaunchError);
    const agent = task.attempts[0]?.agent ?? null;
    meanwhile = () => {
      task = build.taskInReview({ agent }, { run: task.run });
    };
    refuses = null;
    expect(await launch('agent', 60)).toBe('dropped');
    expect([ran, register.held.size]).toEqual([[], 0]);
  });

  it('after a newer run has asked anew is nothing: of all messages for one box one counts', async () => {
    task = build.taskInReview();
    refuses = null;
    register = createContainerRegister(0);
    await expect(launch()).rejects.toThrow(LaunchError);
    register = createContainerRegister(100);
    task = { ...task, run: task.run + 1 };
    expect(await launch('gates', 0, task.run - 1)).toBe('dropped');
    expect(ran).toEqual([]);
    expect(await launch()).toBe('launched');
  });

  it('asks on demand once Spot has had no room for a minute', async () => {
    task = build.taskInReview();
    refuses = null;
    receiveCount = 6;
    await launch();
    expect([...register.held.values()].map(({ pool }) => pool)).toEqual(['on_demand']);
  });
});

describe('a launch that only the task item names', () => {
  const forged = build.launch({ token_sha256: 'f'.repeat(64), assignment_key: 'artifacts/T1/1/patch.diff' });

  it.each(['agent', 'gates', 'deliver'] as const)('of %s is not started: another is', async (kind) => {
    task =
      kind === 'agent'
        ? build.task({ status: 'claimed', attempts: [build.attempt({ agent: forged })] })
        : build.taskInReview({ [kind]: forged, verdict: kind === 'deliver' ? build.verdict() : null });
    if (kind === 'deliver') task.attempts[0] = { ...build.attempt(task.attempts[0]), decision: ACCEPTED };
    refuses = null;
    expect(await launch(kind)).toBe('launched');
    expect(ran).toEqual([`T1/1/${kind}/2`]);
    const named = task.attempts[0]?.[kind];
    expect(named).toMatchObject({ number: 2, lost: false });
    expect(held.has(named?.assignment_key ?? '')).toBe(true);
    expect(named && (await launches.isRecorded('T1', 1, kind, named))).toBe(true);
  });

  it.each([
    ['token', { token_sha256: 'f'.repeat(64) }, 2],
    ['assignment', { assignment_key: 'hidden/T1/tests.json' }, 2],
    ['number', { number: 7 }, 8],
  ])('by another %s is not started', async (_, fields, next) => {
    task = build.taskInReview();
    await expect(launch()).rejects.toThrow(LaunchError);
    const real = build.launch(task.attempts[0]?.gates ?? undefined);
    task = build.taskInReview({ gates: { ...real, ...fields } });
    refuses = null;
    await launch('gates', 60);
    expect(ran).toEqual([`T1/1/gates/${next}`]);
    expect(task.attempts[0]?.gates?.assignment_key).not.toBe(real.assignment_key);
  });

  it('is not started either where it is written while another is recorded', async () => {
    task = build.taskInReview();
    refuses = null;
    const record = launches.record;
    launches.record = async (...given) => {
      await record(...given);
      task = build.taskInReview({ gates: forged });
    };
    await expect(launch()).rejects.toThrow('which the dispatcher has not made');
    expect(ran).toEqual([]);
  });

  it('has an item of its own before the task names it', async () => {
    task = build.taskInReview();
    refuses = null;
    const named: (string | undefined)[] = [];
    const record = launches.record;
    launches.record = async (...given) => {
      named.push(task.attempts[0]?.gates?.token_sha256);
      await record(...given);
    };
    await launch();
    expect(named).toEqual([undefined]);
  });
});

describe('the room of a box', () => {
  const entries = () => [...register.held.values()].map(({ name, pool, arn }) => [name, pool, arn]);

  it('is taken before it is asked for, and what runs in it is written down', async () => {
    task = build.taskInReview();
    refuses = null;
    await launch();
    expect(entries()).toEqual([['T1/1/gates/1', 'spot', 'arn']]);
    await launch('gates', 60);
    expect(ran).toEqual(['T1/1/gates/1']);
  });

  it('is waited for in the queue: the task is not written, and no retry is spent', async () => {
    task = build.taskInReview();
    refuses = null;
    register = createContainerRegister(0);
    const before = task;
    await expect(launch()).rejects.toMatchObject({ kind: 'capacity' });
    expect([task, ran, held.size]).toEqual([before, [], 0]);
  });

  it.each([
    ['capacity', []],
    ['unknown', [['T1/1/gates/1', 'spot', null]]],
  ] as const)('after a refusal that is %s is %j', async (kind, left) => {
    task = build.taskInReview();
    refuses = kind;
    await expect(launch()).rejects.toThrow(LaunchError);
    expect(entries()).toEqual(left);
  });

  it('is free again when ECS will never run the box', async () => {
    task = build.taskInReview();
    refuses = 'fatal';
    expect(await launch()).toBe('given_up');
    expect(entries()).toEqual([]);
  });

  it('is free again when ECS has run the box before and does not say as what: another box is launched', async () => {
    task = build.taskInReview();
    refuses = null;
    says = null;
    expect(await launch()).toBe('dropped');
    expect(entries()).toEqual([]);
    expect(task.attempts[0]?.gates).toMatchObject({ number: 1, lost: true });
  });
});

it.each([
  ['agent has failed', build.taskInReview({ report: build.report({ status: 'failed' }), artifact: null })],
  [
    'person is asked',
    build.taskInReview({}, { hold: { reasons: [], since: build.FIXED_NOW.toISOString() } }),
  ],
] as const)('a gates box is not launched for a task whose %s', async (_case, of) => {
  task = of;
  expect(await launch('gates')).toBe('dropped');
  expect([task, ran]).toEqual([of, []]);
});
