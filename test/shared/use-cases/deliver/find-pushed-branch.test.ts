import { beforeEach, describe, expect, it } from 'vitest';
import type { RepositoryRef } from '../../../../shared/contract/repository/base-ref.ts';
import { computeCommitId } from '../../../../shared/contract/repository/git-commit.ts';
import { buildDeliveryCommitFields } from '../../../../shared/contract/task/delivery-commit.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { determineCascadeStage } from '../../../../shared/control/task-commands/cascade-stage.ts';
import type { TaskCommand } from '../../../../shared/control/task-commands/task-change.ts';
import { provideNoCredentials } from '../../../../shared/store/credential-provider.ts';
import type { TaskStore } from '../../../../shared/store/task-store.ts';
import { RepositoryUnavailableError } from '../../../../shared/use-cases/cascade/resolve-base-commit.ts';
import { runFindPushedBranchStep } from '../../../../shared/use-cases/deliver/find-pushed-branch.ts';
import * as build from '../../../support/builders.ts';

let task: Task;
const tasks = {
  get: async () => task,
  apply: async (_of: unknown, command: TaskCommand) => {
    const changed = command(task);
    task = changed?.task ?? task;
    return { task, changed: changed !== null };
  },
} as unknown as TaskStore;

let putOff: Date[] = [];

const BRANCH = 'refs/heads/assay/T1';
/** The commit of the work below. */
const ours = (): string => {
  const attempt = build.attempt({ report: build.report() });
  return computeCommitId({
    tree: build.fakeSha1('b'),
    parent: build.fakeSha1('a'),
    ...buildDeliveryCommitFields(task, attempt),
  });
};

beforeEach(() => {
  putOff = [];
  const at = build.FIXED_NOW.toISOString();
  const work = { base_commit: build.fakeSha1('a'), tree: build.fakeSha1('b') };
  task = build.taskInReview(
    {
      deliver: build.launch({ number: 3, lost: true, retries_exhausted: true }),
      verdict: build.verdict(),
      decision: { action: 'accept', reason: 'r', next_model: null, next_tier: null, at },
    },
    { delivery: { ...work, state: 'pushing', branch: 'assay/T1', commit: null, reason: null, at } },
  );
});

const ask = (answer: RepositoryRef[] | Error, after = 0) =>
  runFindPushedBranchStep('T1', task.run, {
    tasks,
    deadlines: { postpone: async (_, at) => void putOff.push(at) },
    getCredential: provideNoCredentials,
    now: () => build.addSeconds(after),
    readRefs: async (repository, ref) => {
      expect([repository, ref]).toEqual([task.repository, BRANCH]);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    sleep: async () => {},
  });

describe('a repository that is asked what became of a push that nobody came back from', () => {
  it('has the branch: the work is delivered', async () => {
    const answer = [
      { name: 'refs/heads/main', id: build.fakeSha1('a') },
      { name: BRANCH, id: ours() },
    ];
    expect(await ask(answer)).toMatchObject({ stage: 'settle' });
    expect(task.delivery).toMatchObject({ state: 'delivered', commit: ours(), reason: null });
  });

  it.each([
    ['has no such branch', [], 'branch assay/T1 is not there'],
    [
      'has one of a longer name',
      [{ name: `${BRANCH}/x`, id: build.fakeSha1('d') }],
      'branch assay/T1 is not there',
    ],
    [
      'has it at another commit',
      [{ name: BRANCH, id: build.fakeSha1('d') }],
      `branch assay/T1 is at ${build.fakeSha1('d')}, which is other work`,
    ],
  ])('%s: the work is not delivered, and that is known', async (_, answer, why) => {
    expect(await ask(answer)).toMatchObject({ stage: 'settle' });
    expect(task.delivery).toMatchObject({
      state: 'refused',
      reason: `3 deliveries were lost without a report; ${why}`,
    });
  });

  it('does not answer for a while: it is asked again, by another execution', async () => {
    expect(await ask(new RepositoryUnavailableError('busy', true), 3_000)).toMatchObject({
      stage: 'waiting',
    });
    expect(putOff).toEqual([build.addSeconds(3_060)]);
    expect(determineCascadeStage(task)).toBe('find_branch');
    expect(await ask([{ name: BRANCH, id: ours() }], 3_100)).toMatchObject({ stage: 'settle' });
    expect(task.delivery?.state).toBe('delivered');
  });

  it.each([
    ['says that it will not', new RepositoryUnavailableError('example.test answers 401', false), 0],
    ['never does', new RepositoryUnavailableError('example.test answers 401', true), 3_601],
  ])('%s: it stays unknown, and the task says so', async (_, answer, after) => {
    expect(await ask(answer, after)).toMatchObject({ stage: 'settle' });
    expect(task.delivery).toMatchObject({
      state: 'refused',
      reason: expect.stringMatching(/not known whether branch assay\/T1 .*example\.test answers 401/),
    });
  });

  it('is not asked where the task has gone on, or a box is still on its way', async () => {
    task = { ...task, delivery: null };
    expect(await ask([])).toMatchObject({ stage: 'superseded' });
    expect(task.delivery).toBeNull();
  });
});
