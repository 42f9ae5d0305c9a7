import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attemptListView, taskView } from '../../../shared/api/task-views.ts';
import { DEFAULT_TIER_MODELS } from '../../../shared/contract/agents/tiers.ts';
import type { LaunchKind } from '../../../shared/contract/launch-kind.ts';
import { Refusal } from '../../../shared/contract/refusal.ts';
import { serializeHiddenTests } from '../../../shared/contract/submission/hidden-tests.ts';
import { TaskSubmission, type TaskSubmissionInput } from '../../../shared/contract/submission/schema.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { buildPromptParts } from '../../../shared/control/cascade/agent-prompt.ts';
import { deriveRecordRows } from '../../../shared/control/ledger/derive-rows.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { provideNoCredentials } from '../../../shared/store/credential-provider.ts';
import type { DeliveryInvoker } from '../../../shared/store/delivery-invoker.ts';
import type { EcsContainerClient } from '../../../shared/store/ecs-containers.ts';
import { ObjectStore } from '../../../shared/store/object-store.ts';
import { launchContainer } from '../../../shared/use-cases/containers/launch-container.ts';
import { renewAssignmentUrls } from '../../../shared/use-cases/containers/write-assignment.ts';
import { submitBatch } from '../../../shared/use-cases/submit/submit-batch.ts';
import { type SubmitContext, submitTask } from '../../../shared/use-cases/submit/submit-task.ts';
import {
  ANY_AGENTS,
  artifact,
  attempt,
  FIXED_NOW,
  report,
  submission,
  task,
  taskInReview,
  verdict,
} from '../../support/builders.ts';
import { CONTAINER_CAPACITY, UNLIMITED_REGISTER } from '../../support/container-capacity.ts';
import { createTestTable } from '../../support/dynalite-table.ts';
import { mockAwsClient } from '../../support/mock-aws-client.ts';
import { stub } from '../../support/stub.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

/** What was put, in order, and what of it is in the bucket. */
let puts: string[] = [];
let bucket = new Map<string, string>();
let fails: 'put' | 'create' | null = null;
const s3 = mockAwsClient(S3Client);
beforeEach(() => {
  puts = [];
  bucket = new Map();
  fails = null;
  s3.reset();
  s3.on(PutObjectCommand).callsFake(({ Key, Body, IfNoneMatch }) => {
    if (fails === 'put') throw new Error('the bucket is away');
    puts.push(Key);
    if (IfNoneMatch === '*' && bucket.has(Key))
      throw Object.assign(new Error(), { name: 'PreconditionFailed' });
    bucket.set(Key, Body);
    return {};
  });
});
const objects = new ObjectStore(
  new S3Client({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }),
  'bucket',
);

const MARK = 'kept-back-4711';
/** Long enough that no random identifier contains its digits by chance. */
const BYTES = 4_711_000_000_001;
const HIDDEN: NonNullable<TaskSubmissionInput['hidden_tests']> = {
  kind: 'files',
  files: [{ path: `test/${MARK}.test.js`, content: `// ${MARK}` }],
};
const context = (fields: Partial<SubmitContext> = {}): SubmitContext => ({
  tasks: table.tasks,
  objects,
  now: FIXED_NOW,
  submitter: 'ann',
  idempotencyKey: null,
  allowFileRepositories: false,
  pushScopes: [],
  agents: ANY_AGENTS,
  ...fields,
});
const submit = (request: Partial<TaskSubmissionInput>, fields: Partial<SubmitContext> = {}) =>
  submitTask(submission({ hidden_tests: HIDDEN, ...request }), context(fields));
const refused = async (run: Promise<unknown>): Promise<Refusal> => {
  const error = await run.then(
    () => new Error('was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof Refusal) return error;
  throw error;
};

describe('submitting with hidden tests', () => {
  it('stores them under a prefix of their own, by content, and the task only says where', async () => {
    const { task: made } = await submit({ id: 'H1' });
    const [[key, text] = ['', '']] = [...bucket];
    expect(key).toBe(`hidden/H1/tests-${sha256(text)}.json`);
    expect(made.hidden_tests).toEqual({ key, sha256: sha256(text), bytes: Buffer.byteLength(text) });
    expect(JSON.parse(text)).toMatchObject(HIDDEN);
    expect(JSON.stringify(await table.tasks.get('H1'))).not.toContain(MARK);
  });

  it('stores nothing for a task without any', async () => {
    const { task: made } = await submit({ id: 'H2', hidden_tests: undefined });
    expect([made.hidden_tests, puts]).toEqual([null, []]);
  });

  it('answers a repeat with the same task, and refuses other hidden tests under the same id', async () => {
    await submit({ id: 'H3' });
    expect((await submit({ id: 'H3' })).created).toBe(false);
    expect(bucket.size).toBe(1);
    const other = { kind: 'files' as const, files: [{ path: 'a.test.js', content: '' }] };
    expect((await refused(submit({ id: 'H3', hidden_tests: other }))).code).toBe('id_taken');
    expect((await refused(submit({ id: 'H3', hidden_tests: undefined }))).code).toBe('id_taken');
    expect((await table.tasks.require('H3')).hidden_tests?.key).toBe([...bucket.keys()][0]);
  });

  it('makes no task when they cannot be stored', async () => {
    fails = 'put';
    await expect(submit({ id: 'H4' })).rejects.toThrow('the bucket is away');
    expect(await table.tasks.get('H4')).toBeNull();
  });

  it('cut off between the two, leaves an object that nobody is told of, and the same request goes on', async () => {
    const cut = Object.assign(Object.create(table.tasks) as typeof table.tasks, {
      create: () => Promise.reject(new Error('killed')),
    });
    await expect(submit({ id: 'H5' }, { tasks: cut })).rejects.toThrow('killed');
    expect([bucket.size, await table.tasks.get('H5')]).toEqual([1, null]);
    expect((await submit({ id: 'H5' })).created).toBe(true);
    expect(bucket.size).toBe(1);
  });

  it('stores nothing of a batch that is refused', async () => {
    const requests = [
      submission({ id: 'H6', hidden_tests: HIDDEN }),
      submission({ id: 'H7', hidden_tests: HIDDEN, depends_on: ['nobody'] }),
    ];
    expect((await refused(submitBatch(requests, context()))).code).toBe('dependency_unknown');
    expect(puts).toEqual([]);
  });

  it.each([
    ['https://example.test/shop.git', {}, "is the task's own repository"],
    ['https://EXAMPLE.test/shop/', {}, "is the task's own repository"],
    ['file:///srv/hidden', {}, 'file:// repositories exist only in the embedded default'],
    ['ssh://git@git.test/a.git', {}, 'is over ssh://, which no box can reach: name it by https://'],
    [
      'https://example.com/other/hidden.git',
      { pushScopes: ['https://example.test'] },
      'is none that this deployment knows',
    ],
  ])('refuses hidden tests of %s with %j', async (repository, fields, message) => {
    const refusal = await refused(submit({ id: 'H8', hidden_tests: { kind: 'git', repository } }, fields));
    expect(refusal).toMatchObject({ code: 'invalid', errors: [{ pointer: '/hidden_tests/repository' }] });
    expect(refusal.message).toContain(message);
    expect([puts, await table.tasks.get('H8')]).toEqual([[], null]);
  });
});

const EXAM: NonNullable<TaskSubmissionInput['exam']> = {
  command: 'node --test',
  points: [{ requirement: 'It adds', test: `${MARK} adds`, on_base: 'fails' }],
  files: [{ path: `test/${MARK}.test.js`, content: `// ${MARK}` }],
  confidence: 1,
};

describe('submitting with an exam', () => {
  const submitExam = (request: Partial<TaskSubmissionInput>) =>
    submit({ hidden_tests: undefined, exam: EXAM, ...request });

  it('stores it where hidden tests are, by content, and the task only says where', async () => {
    const { task: made } = await submitExam({ id: 'E1', hidden_tests: HIDDEN });
    const [key = '', text = ''] = [...bucket].find(([name]) => name.includes('/exam-')) ?? [];
    expect(key).toBe(`hidden/E1/exam-${sha256(text)}.json`);
    expect(made.exam).toEqual({ key, sha256: sha256(text), bytes: Buffer.byteLength(text) });
    expect(bucket.size).toBe(2);
    expect(JSON.stringify(await table.tasks.get('E1'))).not.toContain(MARK);
    expect(JSON.stringify(taskView(made))).not.toContain('exam-');
  });

  it('refuses another exam under the same id', async () => {
    await submitExam({ id: 'E2' });
    expect((await submitExam({ id: 'E2' })).created).toBe(false);
    expect((await refused(submitExam({ id: 'E2', exam: undefined }))).code).toBe('id_taken');
  });

  it('refuses an exam that the task itself switches off', async () => {
    const refusal = await refused(submitExam({ id: 'E3', acceptance_tests: 'off' }));
    expect(refusal).toMatchObject({ code: 'invalid', errors: [{ pointer: '/acceptance_tests' }] });
    expect(puts).toEqual([]);
  });

  it.each([
    [{ points: [], command: null }, 'an exam without points has to ask questions'],
    [{ files: [] }, 'points need test files'],
    [{ files: [{ path: '../a.js', content: '' }] }, 'path'],
  ])('refuses %j by the rules of every exam', (fields, message) => {
    const parsed = TaskSubmission.safeParse({ ...submission(), exam: { ...EXAM, ...fields } });
    expect(JSON.stringify(parsed.error?.issues)).toContain(message);
  });
});

/** A task whose first attempt failed its hidden tests, as it stands when its second is under way. */
function escalated(): Task {
  const place = { key: `hidden/T1/${MARK}`, sha256: MARK, bytes: BYTES };
  const failed = taskInReview(
    {
      outcome: 'failed',
      verdict: verdict({
        verdict: 'fail',
        reasons: [
          {
            code: 'gate_failed',
            subject: 'hidden_tests',
            message: 'gate hidden_tests: hidden tests: 2 of 9 fail',
          },
        ],
      }),
    },
    { hidden_tests: place, exam: { ...place, key: `hidden/T1/exam-${MARK}` } },
  );
  return {
    ...failed,
    attempts: [...failed.attempts, attempt({ number: 2, report: report(), artifact: artifact() })],
  };
}

const ACCEPTED = {
  action: 'accept',
  reason: 'r',
  next_model: null,
  next_tier: null,
  at: FIXED_NOW.toISOString(),
} as const;

describe('what is told of hidden tests', () => {
  it('is nothing in any view of the task, its chain, its records, or the next prompt, but how many fail', () => {
    const told = JSON.stringify([
      taskView(escalated()),
      attemptListView(escalated()),
      buildPromptParts(escalated(), escalated().attempts),
      deriveRecordRows(null, escalated(), DEFAULT_TIER_MODELS),
    ]);
    expect(told).toContain('hidden tests: 2 of 9 fail');
    for (const word of [MARK, 'hidden/', String(BYTES), 'hidden_tests":']) expect(told).not.toContain(word);
  });

  it.each<[LaunchKind, boolean]>([
    ['agent', false],
    ['gates', true],
    ['deliver', false],
  ])('the assignment of the %s container: a place to read them from: %s', async (kind, isTold) => {
    const number = kind === 'agent' ? 2 : 1;
    const id = `L-${kind}`;
    const of = escalated();
    await table.tasks.create({
      ...of,
      id,
      status: kind === 'agent' ? 'claimed' : 'in_review',
      run: 1,
      attempts: of.attempts.slice(0, number).map((each) => {
        if (kind === 'agent') return { ...each, report: null };
        if (kind === 'gates') return { ...each, outcome: null };
        return { ...each, outcome: null, verdict: verdict(), decision: ACCEPTED };
      }),
    });
    await launchContainer(
      { schema_version: 1, kind, task_id: id, attempt: number, run: 1 },
      {
        tasks: table.tasks,
        objects,
        containers: stub<EcsContainerClient>({ run: async () => 'arn' }),
        deliveries: stub<DeliveryInvoker>({ invoke: async () => {} }),
        launches: table.launches,
        register: UNLIMITED_REGISTER,
        capacity: CONTAINER_CAPACITY,
        receiveCount: 1,
        taskDefinitionFamilies: { agent: 'a', gates: 'g' },
        getCredential: provideNoCredentials,
        apiUrl: 'https://api.test',
        defaultAdapter: { kind: 'command', argv: ['true'], timeout_s: 60 },
        modelGateway: null,
        leaseSeconds: 120,
        backoffSeconds: 5,
        now: FIXED_NOW,
      },
    );
    const [[, text] = ['', '']] = [...bucket];
    const assignment = JSON.parse(text);
    expect(assignment.kind).toBe(kind);
    if (isTold) {
      expect(assignment.hidden_tests).toMatchObject({ sha256: MARK, bytes: BYTES });
      expect(assignment.exam).toMatchObject({
        sha256: MARK,
        bytes: BYTES,
        url: expect.stringContaining('exam-'),
      });
      expect(new URL(assignment.hidden_tests.url).searchParams.get('X-Amz-Signature')).toMatch(
        /^[0-9a-f]{64}$/,
      );
    } else
      for (const word of [MARK, 'hidden/', String(BYTES), 'hidden_tests":']) expect(text).not.toContain(word);
  });

  it('an assignment that waited for capacity gets new URLs of hidden tests and exam', async () => {
    const old = { url: 'https://expired.test', sha256: MARK, bytes: BYTES };
    const assignment = { kind: 'gates', hidden_tests: { ...old, read_credential: null }, exam: old };
    s3.on(GetObjectCommand).callsFake(() => ({
      ETag: '"1"',
      Body: { transformToString: async () => JSON.stringify(assignment) },
    }));
    await renewAssignmentUrls('assignments/a.json', 'gates', escalated(), attempt(), {
      objects,
      apiUrl: 'https://api.test',
      defaultAdapter: { kind: 'command', argv: ['true'], timeout_s: 60 },
      modelGateway: null,
      getCredential: provideNoCredentials,
      leaseSeconds: 120,
    });
    const renewed = JSON.parse(bucket.get('assignments/a.json') ?? '{}');
    for (const { url, sha256: digest } of [renewed.hidden_tests, renewed.exam]) {
      expect(url).toContain('X-Amz-Signature');
      expect(digest).toBe(MARK);
    }
  });

  it('an item of an earlier version, which knows of none, is a task without any', () => {
    const { hidden_tests: _none, ...old } = task();
    expect(taskView(old as Task)).not.toHaveProperty('hidden_tests');
    expect(serializeHiddenTests({ kind: 'git', repository: 'https://e.test/h', ref: 'main' })).toContain(
      '"ref":"main"',
    );
  });
});
