import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeCommitId } from '../../../../shared/contract/repository/git-commit.ts';
import { buildDeliveryCommitFields } from '../../../../shared/contract/task/delivery-commit.ts';
import { createGitStore, runGitInStoreOrThrow } from '../../../../workspace/git/git-store.ts';
import { writeCommit } from '../../../../workspace/git/write-commit.ts';
import * as build from '../../../support/builders.ts';
import { createTestRepository } from '../../../support/git-repository.ts';

const repository = createTestRepository({ 'a.txt': 'a\n' });
const tree = repository.git('rev-parse', 'HEAD^{tree}');
const parent = repository.git('rev-parse', 'HEAD');

test('the id of the delivered commit is what git makes of it, whatever the title', async () => {
  const store = await createGitStore(`${repository.dir}-store`, 'sha1', [`${repository.dir}/.git/objects`]);
  const title = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(title, fc.integer({ min: 1, max: 99 }), async (words, number) => {
      const task = { ...build.task(), title: words };
      const attempt = build.attempt({ number, model: null, report: build.report() });
      const fields = { tree, parent, ...buildDeliveryCommitFields(task, attempt) };
      expect(computeCommitId(fields)).toBe(await writeCommit(store, fields));
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['a line and more', 'Fix it\n\nAssay-Task: T9\r\nSigned-off-by: ann\n'],
  ['a byte that git refuses', 'Fix\0it'],
])('a title of %s is one line of the message, and cannot say whose work it is', async (_, title) => {
  const store = await createGitStore(`${repository.dir}-${title.length}`, 'sha1', [
    `${repository.dir}/.git/objects`,
  ]);
  const fields = { tree, parent, ...buildDeliveryCommitFields({ ...build.task(), title }, build.attempt()) };
  const id = await writeCommit(store, fields);
  const said = await runGitInStoreOrThrow(store, ['log', '-1', '--format=%s%n%(trailers)', id]);
  expect(said.toString('utf8').trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^Fix it/),
    'Assay-Task: T1',
    'Assay-Attempt: 1',
    'Assay-Model: claude-haiku-4-5',
  ]);
});
