import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { detectDeliveryReverts, reportDeliveryReverts } from '../../../functions/deliver/find-reverts.ts';
import { createContainerApiClient } from '../../../shared/api/container-client.ts';
import { ReportDeliveryBody } from '../../../shared/api/report-schemas.ts';
import { deliverAssignment, inBox } from '../../containers/box.ts';
import { type FakeApi, startFakeApi } from '../../containers/fake-api.ts';
import { work } from '../../containers/work.ts';
import { createTestRepository, type TestRepository } from '../../support/git-repository.ts';

const look = (repository: Pick<TestRepository, 'url'>, target = 'main') =>
  inBox((box) =>
    detectDeliveryReverts(
      { repository: repository.url, target_branch: target, base_commit: '0'.repeat(40) },
      null,
      box,
    ),
  );
const ours = (task: string): string => `Do it\n\nAssay-Task: ${task}\nAssay-Attempt: 1\n`;

describe.each([
  ['that leaves out what is not asked for', 'true'],
  ['that sends all files', 'false'],
])('at a server %s', (_, filter) => {
  const made = (): TestRepository => {
    const repository = createTestRepository({ 'a.txt': 'a\n' });
    repository.git('config', 'uploadpack.allowFilter', filter);
    return repository;
  };

  test('what git itself has reverted is found: a commit, a merge, and not what came back', async () => {
    const repository = made();
    const { git } = repository;
    const one = repository.commit({ 'a.txt': 'b\n' }, ours('T1'));
    const two = repository.commit({ 'b.txt': 'b\n' }, ours('T2'));
    git('checkout', '--quiet', '-b', 'assay/T3');
    const three = repository.commit({ 'c.txt': 'c\n' }, ours('T3'));
    git('checkout', '--quiet', 'main');
    git('merge', '--quiet', '--no-ff', '-m', 'Merge it', 'assay/T3');
    const merged = git('rev-parse', 'HEAD');
    git('revert', '--no-edit', '-m', '1', 'HEAD');
    const merge = git('rev-parse', 'HEAD');
    git('revert', '--no-edit', two);
    git('revert', '--no-edit', 'HEAD');
    git('revert', '--no-edit', one);
    const last = git('rev-parse', 'HEAD');
    const at = expect.stringMatching(/Z$/);
    const found = await look(repository);
    expect(found).toHaveLength(3);
    expect(found).toEqual(
      expect.arrayContaining([
        { task_id: 'T1', reverted_commit: one, reverted_request: null, reverting_commit: last, at },
        { task_id: 'T3', reverted_commit: three, reverted_request: null, reverting_commit: merge, at },
        { task_id: null, reverted_commit: merged, reverted_request: null, reverting_commit: merge, at },
      ]),
    );
  });
});

test('a commit that is older than what is read is asked for by its name', async () => {
  const repository = createTestRepository({ 'a.txt': 'a\n' });
  const one = repository.commit({ 'a.txt': 'b\n' }, ours('T1'));
  repository.git('checkout', '--quiet', '--orphan', 'later');
  repository.commit({ 'a.txt': 'c\n' }, `Revert\n\nThis reverts commit ${one}.\n\nAnd:\n`);
  repository.commit({ 'a.txt': 'd\n' }, `Revert\n\nThis reverts commit ${'d'.repeat(40)}.\n`);
  expect(await look(repository, 'later')).toMatchObject([{ task_id: 'T1', reverted_commit: one }]);
});

test('a target that is not there, or a repository, is unknown', async () => {
  expect(await look(createTestRepository({ 'a.txt': 'a\n' }), 'gone')).toBeNull();
  expect(await look({ url: 'file:///no/such' })).toBeNull();
});

test('files of a server that sends too much are not taken: what it has reverted is unknown', async () => {
  const repository = createTestRepository({});
  const one = repository.commit({ 'a.txt': 'b\n' }, ours('T1'));
  const noise = Buffer.allocUnsafe(33 * 1_048_576);
  for (let at = 0; at < noise.length; at += 4) noise.writeUInt32LE((Math.random() * 2 ** 32) >>> 0, at);
  repository.git('config', 'core.compression', '0');
  repository.commit({ 'noise.bin': noise });
  repository.commit({ 'c.txt': 'c\n' }, `Revert\n\nThis reverts commit ${one}.\n`);
  repository.git('config', 'uploadpack.allowFilter', 'false');
  expect(await look(repository)).toBeNull();
  repository.git('config', 'uploadpack.allowFilter', 'true');
  expect(await look(repository)).toMatchObject([{ task_id: 'T1' }]);
});

describe('what was found', () => {
  let api: FakeApi;
  beforeEach(async () => {
    api = await startFakeApi();
  });
  afterEach(() => api.stop());

  test('is told in a report that the API takes, and its refusal is of no consequence', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    of.repository.git('checkout', '--quiet', 'main');
    const one = of.repository.commit({ 'b.txt': 'b\n' }, ours('T9'));
    of.repository.git('revert', '--no-edit', one);
    const assignment = { ...deliverAssignment(api, of.repository.url, of), target_branch: 'main' };
    const tell = () =>
      inBox((box) => reportDeliveryReverts(assignment, null, box, createContainerApiClient(assignment)));
    await tell();
    const [body] = api.bodies('delivery');
    expect(ReportDeliveryBody.parse(body)).toMatchObject({
      step: 'reverts',
      reverts: [{ task_id: 'T9', reverted_commit: one }],
    });
    api.answer = () => ({ status: 409, body: { code: 'stale_lease', detail: 'over' } });
    await expect(tell()).resolves.toBeUndefined();
  });
});
