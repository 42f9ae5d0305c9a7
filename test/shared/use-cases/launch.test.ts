import { GetObjectCommand, type PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { Assignment } from '../../../shared/messages/assignment.ts';
import { type Boxes, NoCapacity } from '../../../shared/store/boxes.ts';
import type { Machines } from '../../../shared/store/machines.ts';
import { ObjectStore } from '../../../shared/store/objects.ts';
import type { TaskStore } from '../../../shared/store/tasks.ts';
import type { Command } from '../../../shared/task/commands/change.ts';
import type { Task } from '../../../shared/task/task.ts';
import { launchBox } from '../../../shared/use-cases/launch.ts';
import * as build from '../../support/builders.ts';

let task: Task;
const tasks = {
  get: async () => task,
  require: async () => task,
  change: async (_of: unknown, command: Command) => {
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

let full = true;
let ran: string[] = [];
let woken: string[] = [];
const boxes = {
  run: async (_kind: string, _family: string, launch: string) => {
    if (full) throw new NoCapacity('none');
    ran.push(launch);
  },
} as unknown as Boxes;
beforeEach(() => {
  held = new Map();
  signed = 0;
  full = true;
  ran = [];
  woken = [];
  meanwhile = () => {};
});

const launch = (kind: 'gates' | 'deliver' = 'gates', after = 0) =>
  launchBox(
    { schema_version: 1, kind, task_id: 'T1', attempt: 1, run: task.run, task_token: 'token' },
    {
      tasks,
      objects: new Signing(s3, 'bucket'),
      boxes,
      machines: {
        wake: async (_: string, { stage }: { stage: string }) => woken.push(stage),
      } as unknown as Machines,
      families: { agent: 'a', gates: 'g', deliver: 'd' },
      apiUrl: 'https://api.test',
      defaultAdapter: { kind: 'command', argv: ['true'], timeout_s: 1 },
      modelGateway: null,
      leaseSeconds: 120,
      backOffSeconds: 60,
      now: build.later(after),
    },
  );
const assignment = () => {
  const [only] = [...held.values()];
  const read = Assignment.parse(JSON.parse(only?.body ?? 'null'));
  return read.kind === 'agent' ? null : read;
};

describe('a box that has to wait for room', () => {
  it('finds URLs that were signed when it was started, and the same token', async () => {
    task = build.inReview();
    await expect(launch()).rejects.toThrow(NoCapacity);
    const before = assignment();
    full = false;
    await launch('gates', 3_600);
    const after = assignment();
    expect(ran).toEqual(['T1/1/gates/1']);
    expect(after).toEqual({ ...before, patch_url: after?.patch_url, forget_url: after?.forget_url });
    const count = (url = ''): number => Number(url.split('=').at(-1));
    expect(count(after?.patch_url)).toBeGreaterThan(count(before?.patch_url));
    expect(count(after?.forget_url)).toBeGreaterThan(count(before?.forget_url));
    expect(held.size).toBe(1);
  });

  it.each(['before it is looked at', 'while it is looked at'])(
    'and has taken its assignment %s: it does not come back',
    async (when) => {
      task = build.inReview();
      await expect(launch()).rejects.toThrow(NoCapacity);
      if (when.startsWith('before')) held.clear();
      else meanwhile = () => held.clear();
      full = false;
      await launch('gates', 60);
      expect([held.size, ran]).toEqual([0, ['T1/1/gates/1']]);
    },
  );
});

describe('three deliver boxes that were lost', () => {
  const lost = build.launch({ number: 3, lost: true });
  const of = (delivery: Task['delivery']): Task =>
    build.inReview(
      {
        deliver: lost,
        verdict: build.verdict(),
        decision: {
          action: 'accept',
          reason: 'r',
          next_model: null,
          next_tier: null,
          at: build.NOW.toISOString(),
        },
      },
      { delivery },
    );

  it('are given up, but what they did with leave to push is for the repository to say', async () => {
    const at = build.NOW.toISOString();
    const work = { base_commit: build.sha1('a'), tree: build.sha1('b') };
    task = of({ ...work, state: 'pushing', branch: 'assay/T1', commit: null, reason: null, at });
    await launch('deliver');
    expect(task.delivery).toMatchObject({ state: 'pushing', reason: null });
    expect(woken).toEqual(['find_branch']);
    task = of(null);
    await launch('deliver');
    expect(task.delivery?.reason).toBe('3 deliver containers were lost without a report');
  });
});
