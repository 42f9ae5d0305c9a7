import { createHash } from 'node:crypto';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadHiddenTests } from '../../containers/gates/hidden-tests.ts';
import { HiddenTests, serializeHiddenTests } from '../../shared/contract/submission/hidden-tests.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { inBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => api.stop());

/** Puts hidden tests where the box is told to read them. */
function placed(tests: unknown) {
  const text = serializeHiddenTests(HiddenTests.parse(tests));
  api.objects.set('/hidden', Buffer.from(text));
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { url: `${api.url}/hidden`, sha256, bytes: Buffer.byteLength(text), read_credential: null };
}

/** The files that the box makes of them: path, mode and content. */
const read = (place: ReturnType<typeof placed> | null) =>
  inBox(async (box) => {
    const files = await loadHiddenTests({ hidden_tests: place }, box);
    expect(readdirSync(box.workDir)).toEqual([]);
    return files?.map(({ path, mode, content }) => [path, mode, content.toString('latin1')]) ?? null;
  });
const refusal = async (place: ReturnType<typeof placed>): Promise<CheckoutError> => {
  const error = await read(place).then(
    () => new Error('was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof CheckoutError) return error;
  throw error;
};
const linked = (): TestRepository => {
  const repository = createTestRepository({ a: '' });
  symlinkSync('/etc/passwd', join(repository.dir, 'secret-link'));
  repository.commit({});
  return repository;
};
const files = (...all: object[]) => ({ kind: 'files', files: all });
const from = (repository: TestRepository, more: object = {}) => ({
  kind: 'git',
  repository: repository.url,
  ...more,
});

describe('the hidden tests of a box', () => {
  test('are none where the task has none', async () => {
    expect(await read(null)).toBeNull();
  });

  test('are the files that were handed in, byte by byte', async () => {
    const tests = files(
      { path: 'test/a.test.js', content: 'é\n' },
      { path: 'run.sh', content: 'AP8=', encoding: 'base64', executable: true },
    );
    expect(await read(placed(tests))).toEqual([
      ['test/a.test.js', '100644', '\xc3\xa9\n'],
      ['run.sh', '100755', '\0\xff'],
    ]);
  });

  test('are a folder of another repository, at a branch, a tag or a commit', async () => {
    const repository = createTestRepository({ 'shop/test/a.test.js': 'a', 'shopping.txt': '', 'b.js': '' });
    repository.git('tag', 'v1');
    const head = repository.git('rev-parse', 'HEAD');
    const expected = [['test/a.test.js', '100644', 'a']];
    for (const more of [{ folder: 'shop' }, { ref: 'v1', folder: './shop/' }, { ref: head, folder: 'shop' }])
      expect(await read(placed(from(repository, more)))).toEqual(expected);
    expect(await read(placed(from(repository)))).toHaveLength(3);
  });

  test.each<[string, () => object, string]>([
    [
      'a ref that is not there',
      () => from(createTestRepository({ a: '' }), { ref: 'secret-branch' }),
      'cannot be fetched',
    ],
    [
      'a folder that is not there',
      () => from(createTestRepository({ a: '' }), { folder: 'secret-folder' }),
      'are none',
    ],
    ['a symbolic link among them', () => from(linked()), 'a link or a submodule'],
  ])('with %s could not be had, and nothing of where they are is told', async (_what, tests, message) => {
    const error = await refusal(placed(tests()));
    expect(error).toMatchObject({ failureClass: 'config_invalid' });
    expect(error.message).toContain(message);
    for (const word of ['secret', 'file:', '/tmp']) expect(error.message).not.toContain(word);
  });

  test.each<[string, (place: ReturnType<typeof placed>) => void]>([
    ['is gone', () => api.objects.delete('/hidden')],
    ['holds something else', () => api.objects.set('/hidden', Buffer.from('{}'))],
    ['is longer', () => api.objects.set('/hidden', Buffer.alloc(10_000))],
  ])('could not be had where their object %s', async (_what, change) => {
    const place = placed(files({ path: 'a', content: 'x' }));
    change(place);
    expect(await refusal(place)).toMatchObject({
      failureClass: 'config_invalid',
      message: 'the hidden tests of this task cannot be read any more',
    });
  });
});
