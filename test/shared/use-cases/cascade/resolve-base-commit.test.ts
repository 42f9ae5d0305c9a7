import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { RepositoryRef } from '../../../../shared/contract/repository/base-ref.ts';
import type { TaskSubmissionInput } from '../../../../shared/contract/submission/schema.ts';
import { selectNextAttemptModel } from '../../../../shared/control/cascade/model-selection.ts';
import { startRetryRound } from '../../../../shared/control/task-commands/operator-commands.ts';
import {
  CredentialUnavailableError,
  type GitCredentialProvider,
  MinterFailedError,
} from '../../../../shared/store/credential-provider.ts';
import {
  FileTooLargeError,
  type RemoteFilesReader,
  type RemoteRefsReader,
  RepositoryUnavailableError,
  runResolveBaseCommitStep,
} from '../../../../shared/use-cases/cascade/resolve-base-commit.ts';
import { submitTask } from '../../../../shared/use-cases/submit/submit-task.ts';
import { claimNextOpenTask, claimTask } from '../../../../shared/use-cases/work/claim-task.ts';
import {
  ANY_AGENTS,
  FIXED_NOW,
  fakeSha1,
  NOOP_DEADLINES,
  REJECTING_OBJECTS,
  submission,
} from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const submit = async (request: Partial<TaskSubmissionInput> = {}) =>
  (
    await submitTask(submission({ base_ref: 'main', ...request }), {
      tasks: table.tasks,
      now: FIXED_NOW,
      submitter: 'ann',
      idempotencyKey: null,
      allowFileRepositories: false,
      pushScopes: [],
      agents: ANY_AGENTS,
      objects: REJECTING_OBJECTS,
    })
  ).task;
const main = (digit: string): RepositoryRef[] => [{ name: 'refs/heads/main', id: fakeSha1(digit) }];
const claims = { now: FIXED_NOW, claimant: 'bob', leaseSeconds: 120 };

/** Answers each question with the next of these. */
const remote = (...answers: (RepositoryRef[] | Error)[]) => {
  const asked: string[] = [];
  const pauses: number[] = [];
  const read: string[] = [];
  const minted: string[] = [];
  let written: string | null | Error = null;
  const files: RemoteFilesReader = async (_repository, commit, paths) => {
    read.push(`${commit.slice(0, 1)} ${paths.join()}`);
    const text = written;
    if (text instanceof Error) {
      if (!(text instanceof FileTooLargeError) || paths.some((path) => text.message.startsWith(`${path} `)))
        throw text;
      return new Map(paths.map((path) => [path, null]));
    }
    return new Map(paths.map((path) => [path, text]));
  };
  const ask: RemoteRefsReader = async (repository, ref) => {
    asked.push(`${repository} ${ref}`);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer ?? [];
  };
  let images: readonly string[] | undefined;
  let refuses: Error | null = null;
  const context = () => ({
    images,
    tasks: table.tasks,
    now: () => FIXED_NOW,
    readRefs: ask,
    readFiles: files,
    getCredential: async (wanted: Parameters<GitCredentialProvider>[0]) => {
      minted.push(`${wanted.access} ${wanted.repository}`);
      if (refuses) throw refuses;
      return null;
    },
    sleep: async (milliseconds: number) => void pauses.push(milliseconds),
    deadlines: NOOP_DEADLINES,
  });
  return {
    asked,
    pauses,
    read,
    minted,
    resolve: (id: string, run = 1) => runResolveBaseCommitStep(id, run, context()),
    /** The minter has nothing. */
    refuse: (error: Error) => {
      refuses = error;
    },
    /** The deployment has these images. */
    having(...names: string[]) {
      images = names;
      return this;
    },
    /** The base says this of the role. */
    saying(text: string | null | Error) {
      written = text;
      return this;
    },
  };
};

describe('the base of a task', () => {
  it('is asked for once, before the first attempt, and is then what it is', async () => {
    const { id } = await submit();
    const { asked, resolve } = remote(main('a'), main('b'));
    expect(await resolve(id)).toMatchObject({ stage: 'select_model', attempt: 0 });
    expect(await resolve(id)).toMatchObject({ stage: 'superseded' });
    expect(asked).toEqual(['https://example.test/shop.git main']);
    expect(await table.tasks.require(id)).toMatchObject({
      base_commit: fakeSha1('a'),
      status: 'open',
      attempts: [],
    });
  });

  it('is asked with one credential, however many questions it takes', async () => {
    const { id } = await submit();
    const { read, minted, resolve } = remote(
      new RepositoryUnavailableError('no connection', true),
      main('a'),
    );
    await resolve(id);
    expect(read).toHaveLength(1);
    expect(minted).toEqual(['read https://example.test/shop.git']);
  });

  it('is one of the answers when two executions ask at once, and the one whose it is goes on', async () => {
    const { id } = await submit();
    const { resolve } = remote(main('a'), main('b'));
    const said = await Promise.all([resolve(id), resolve(id)]);
    expect(said.map(({ stage }) => stage).sort()).toEqual(['select_model', 'superseded']);
    const { base_commit, version } = await table.tasks.require(id);
    expect([fakeSha1('a'), fakeSha1('b')]).toContain(base_commit);
    expect(version).toBe(2);
  });

  it('brings what it says of the role, which decides over model and money', async () => {
    const { id } = await submit({ role: 'data', complexity: 'high' });
    const { read, resolve } = remote(main('a')).saying(
      'model: opus\neffort: max\nlimits: { max_cost_usd: 2 }\n',
    );
    await resolve(id);
    expect(read).toEqual([`${fakeSha1('a').slice(0, 1)} .assay/roles/data/config.yaml,assay.yaml`]);
    const task = await table.tasks.require(id);
    expect(task.resolved_role).toEqual({
      source: 'repository',
      unread_reason: null,
      model: 'opus',
      effort: 'max',
      max_cost_usd: 2,
    });
    expect(selectNextAttemptModel(task, DEFAULT_TIER_MODELS).route.reason).toContain(
      'by the repository (opus at max effort)',
    );
  });

  it.each([
    ['has no such file', null, 'builtin', null],
    ['has one that cannot be read', 'modell: opus\n', 'unread', 'config.yaml:1: modell is not a known field'],
    [
      'gives no single files',
      new RepositoryUnavailableError('the server says no', false),
      'unread',
      'the server says no',
    ],
  ])('leaves a role as it is built in where it %s', async (_name, text, from, why) => {
    const { id } = await submit({ role: 'qa' });
    await remote(main('a')).saying(text).resolve(id);
    const { resolved_role } = await table.tasks.require(id);
    expect(resolved_role).toMatchObject({ source: from, model: 'sonnet', effort: 'high' });
    if (why) expect(resolved_role?.unread_reason).toContain(why);
    else expect(resolved_role?.unread_reason).toBeNull();
  });

  it('is read again in a moment where the repository is busy, and ends the task where it stays so', async () => {
    const { id } = await submit();
    const { read, resolve } = remote(main('a')).saying(new RepositoryUnavailableError('answers 503', true));
    expect(await resolve(id)).toMatchObject({ stage: 'ended' });
    expect(read).toHaveLength(3);
    expect((await table.tasks.require(id)).failure?.code).toBe('repository_unavailable');
  });

  it('cannot be asked for without a credential: for want of one the task ends, by a fault of ours it waits', async () => {
    const { id } = await submit();
    const { asked, refuse, resolve } = remote(main('a'));
    refuse(new MinterFailedError());
    await expect(resolve(id)).rejects.toThrow(MinterFailedError);
    expect(await table.tasks.require(id)).toMatchObject({ status: 'open', failure: null });
    refuse(new CredentialUnavailableError('the App is not installed there', false));
    expect(await resolve(id)).toMatchObject({ stage: 'ended' });
    expect((await table.tasks.require(id)).failure?.code).toBe('repository_unavailable');
    expect(asked).toEqual([]);
  });

  it('is not asked about the role of a task that somebody outside does', async () => {
    const { id } = await submit({ runner: 'external', role: 'outside' });
    const { read, resolve } = remote(main('a'));
    await resolve(id);
    expect(read).toEqual(['a assay.yaml']);
    expect((await table.tasks.require(id)).resolved_role).toBeNull();
  });

  it('is nobody asked for when the task names a commit, but for what that says of the role', async () => {
    const made = await submit({ base_ref: fakeSha1('c') });
    expect(made.base_commit).toBe(fakeSha1('c'));
    const { asked, read, resolve } = remote(main('a'));
    expect(await resolve(made.id)).toMatchObject({ stage: 'select_model' });
    expect(asked).toEqual([]);
    expect(read).toHaveLength(1);
  });

  it('keeps an outside agent from the task until it is known', async () => {
    const { id, run } = await submit({ runner: 'external', role: 'early' });
    expect(run).toBe(1);
    const context = { ...claims, tasks: table.tasks, locks: table.locks };
    await expect(claimNextOpenTask('early', context)).rejects.toMatchObject({ code: 'no_task' });
    await expect(claimTask(id, null, context)).rejects.toMatchObject({ code: 'base_unresolved' });
    expect(await remote(main('a')).resolve(id)).toMatchObject({ stage: 'ended' });
    expect((await claimNextOpenTask('early', context)).task).toMatchObject({
      id,
      base_commit: fakeSha1('a'),
    });
  });

  it('that is not there ends the task at once, and another round looks again', async () => {
    const { id } = await submit();
    const { asked, resolve } = remote([{ name: 'refs/heads/maintenance', id: fakeSha1('a') }]);
    expect(await resolve(id)).toMatchObject({ stage: 'ended' });
    expect(asked).toHaveLength(1);
    expect(await table.tasks.require(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'base_ref_missing', message: 'base_ref_missing: the repository has no "main"' },
    });
    await table.tasks.applyCommand(id, (task) => startRetryRound(task, FIXED_NOW));
    expect(await remote(main('d')).resolve(id, 2)).toMatchObject({ stage: 'select_model' });
    expect((await table.tasks.require(id)).base_commit).toBe(fakeSha1('d'));
  });

  it('survives a repository that cannot be reached for a moment', async () => {
    const { id } = await submit();
    const { asked, pauses, resolve } = remote(
      new RepositoryUnavailableError('busy', true),
      new RepositoryUnavailableError('busy', true),
      main('a'),
    );
    expect(await resolve(id)).toMatchObject({ stage: 'select_model' });
    expect([asked.length, pauses.length]).toEqual([3, 2]);
  });

  it.each([
    ['for good', false, 1],
    ['again and again', true, 3],
  ])('ends the task when the repository says no %s', async (_name, transient, times) => {
    const { id } = await submit();
    const { asked, resolve } = remote(new RepositoryUnavailableError('example.test answers 503', transient));
    expect(await resolve(id)).toMatchObject({ stage: 'ended' });
    expect(asked).toHaveLength(times);
    expect(await table.tasks.require(id)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'repository_unavailable',
        message: 'repository_unavailable: example.test answers 503',
      },
    });
  });

  it('leaves the task alone when something of ours breaks, so that the step is done again', async () => {
    const { id } = await submit();
    await expect(remote(new TypeError('a defect')).resolve(id)).rejects.toThrow('a defect');
    expect((await table.tasks.require(id)).status).toBe('open');
  });
});

describe('the autonomy that assay.yaml of the base names', () => {
  it.each([
    ['is written down', 'autonomy: supervised\n', 'supervised'],
    ['is none where there is no file', null, null],
    ['is none where the file names none', 'quality_gates: {}\n', null],
    [
      'is the least where the server gives no single files',
      new RepositoryUnavailableError('no filters here', false),
      'locked',
    ],
  ])('%s', async (_name, text, level) => {
    for (const runner of ['managed', 'external'] as const) {
      const { id } = await submit({ runner, autonomy: 'full' });
      await remote(main('1')).saying(text).resolve(id);
      expect(await table.tasks.require(id)).toMatchObject({ base_autonomy: level, autonomy: 'full' });
    }
  });

  it.each([
    ['a level that there is not', 'image: go\nautonomy: ful\n', 'assay.yaml:2: autonomy: Invalid option'],
    ['a file that cannot be read', 'not: [yaml', 'assay.yaml:1: '],
  ])('ends the task before any work with %s', async (_name, text, why) => {
    const { id } = await submit();
    await remote(main('1')).saying(text).resolve(id);
    const { status, failure, attempts } = await table.tasks.require(id);
    expect([status, failure?.code, attempts]).toEqual(['failed', 'config_invalid', []]);
    expect(failure?.message).toContain(why);
  });

  it('is read anew for another round', async () => {
    const { id } = await submit();
    await remote(main('1')).saying('autonomy: ful\n').resolve(id);
    await table.tasks.applyCommand(id, (task) => startRetryRound(task, FIXED_NOW));
    await remote(main('2')).saying('autonomy: locked\n').resolve(id, 2);
    expect((await table.tasks.require(id)).base_autonomy).toBe('locked');
  });
});

describe('a file of the base that is larger than is read', () => {
  // Of each there is one that is built in.
  it.each([
    ['assay.yaml', undefined],
    ['.assay/workflows/verification-pipeline.yaml', 'verification-pipeline'],
    ['.assay/rubrics/default-task.yaml', 'verification-pipeline'],
  ])('%s ends the task before any work, and nothing counts in its place', async (path, workflow) => {
    const task = await submit({
      ...(workflow && { workflow }),
      acceptance_criteria: ['it works'],
    });
    await remote(main('1'))
      .saying(new FileTooLargeError(path, 'an object has more than 9 bytes'))
      .resolve(task.id);
    expect(await table.tasks.get(task.id)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'config_invalid',
        message: expect.stringContaining(`${path} of the base is too large to be read: an object has more`),
      },
      attempts: [],
    });
  });
});

describe('the toolchain image', () => {
  it('is the one that assay.yaml of the base names', async () => {
    const task = await submit();
    const at = remote(main('1')).having('default', 'go').saying('image: go\n');
    expect((await at.resolve(task.id)).stage).toBe('select_model');
    expect(await table.tasks.get(task.id)).toMatchObject({ base_commit: fakeSha1('1'), image: 'go' });
    expect(at.read).toEqual(['1 .assay/roles/backend/config.yaml,assay.yaml']);
  });

  it.each([['quality_gates: {}\n'], ['image: default\n'], [null]])(
    'is the usual one where it names no other: %j',
    async (text) => {
      const task = await submit();
      await remote(main('1')).having('default', 'go').saying(text).resolve(task.id);
      expect((await table.tasks.get(task.id))?.image).toBeUndefined();
    },
  );

  it('is the usual one where the server gives no single files', async () => {
    const task = await submit();
    const closed = new RepositoryUnavailableError('no filters here', false);
    await remote(main('1')).having('default', 'go').saying(closed).resolve(task.id);
    expect(await table.tasks.get(task.id)).toMatchObject({ status: 'open', base_commit: fakeSha1('1') });
  });

  it('that the deployment has not ends the task with the names that it has', async () => {
    const task = await submit();
    await remote(main('1')).having('default', 'go').saying('image: perl\n').resolve(task.id);
    expect(await table.tasks.get(task.id)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'config_invalid',
        message: expect.stringContaining('names the image "perl"; this deployment has default, go'),
      },
    });
  });

  it('is read for outside agents too, whose work is judged in it', async () => {
    const task = await submit({ runner: 'external' });
    const at = remote(main('1')).having('default', 'go').saying('image: go\n');
    await at.resolve(task.id);
    expect(await table.tasks.get(task.id)).toMatchObject({ image: 'go' });
    expect(at.read).toEqual(['1 assay.yaml']);
  });
});
