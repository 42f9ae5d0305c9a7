import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deliverWork } from '../../../functions/deliver/deliver-work.ts';
import { deliverAssignment, inBox, NO_PUSH_CREDENTIALS } from '../../containers/box.ts';
import { type FakeApi, startFakeApi } from '../../containers/fake-api.ts';
import { type Work, work } from '../../containers/work.ts';

let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await api.stop();
});

describe('a delivery', () => {
  beforeEach(() => {
    vi.stubEnv('ASSAY_API_URL', `${api.url}/`);
  });
  const run = async (of: Work, more: Parameters<typeof deliverAssignment>[3] = {}) => {
    await inBox((box) =>
      deliverWork(deliverAssignment(api, of.repository.url, of, more), box, NO_PUSH_CREDENTIALS),
    );
    return api.bodies('delivery');
  };

  test('delivers once, however often it runs', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    const steps = await run(of);
    const commit = of.repository.git('rev-parse', 'assay/T1');
    const handed = { base_commit: of.base_commit, tree: of.tree };
    expect(steps).toEqual([
      { step: 'authorize', ...handed },
      { step: 'delivered', ...handed, commit },
    ]);
    expect((await run(of)).at(-1)).toEqual({ step: 'delivered', ...handed, commit });
    expect(of.repository.git('rev-list', '--count', 'main..assay/T1')).toBe('1');
  });

  test('pushes nothing without a recorded verdict or approval, whatever the API says, and asks for no credential', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    const getCredential = vi.fn(async () => null);
    const isAccepted = vi.fn(async () => false);
    await inBox((box) =>
      deliverWork(deliverAssignment(api, of.repository.url, of), box, {
        ...NO_PUSH_CREDENTIALS,
        isAccepted,
        getCredential,
      }),
    );
    const handed = { base_commit: of.base_commit, tree: of.tree };
    expect(isAccepted).toHaveBeenCalledWith('T1', handed);
    expect(api.bodies('delivery').at(-1)).toMatchObject({
      step: 'refused',
      ...handed,
      reason: expect.stringContaining('no passing verdict and no approval is recorded'),
    });
    expect(getCredential).not.toHaveBeenCalled();
    expect(of.repository.git('branch', '--list', 'assay/*')).toBe('');
  });

  test('pushes nothing without leave', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    api.answer = () => ({
      status: 409,
      body: { code: 'conflict', detail: 'the verdict is on another tree' },
    });
    expect(await run(of)).toHaveLength(1);
    expect(of.repository.git('branch', '--list', 'assay/*')).toBe('');
  });

  test.each([
    ['https://elsewhere.example', 'names another API'],
    [undefined, 'ASSAY_API_URL'],
  ])('asks no API but the one that the template names: %s', async (known, message) => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    vi.stubEnv('ASSAY_API_URL', known);
    await expect(run(of)).rejects.toThrow(message);
    expect(api.calls).toEqual([]);
    expect(of.repository.git('branch', '--list', 'assay/*')).toBe('');
  });

  test('leaves a branch alone that is something else', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    of.repository.git('branch', 'assay/T1', 'main');
    expect((await run(of)).at(-1)).toMatchObject({
      step: 'refused',
      reason: expect.stringContaining('exists already'),
    });
    expect(of.repository.git('rev-parse', 'assay/T1')).toBe(of.base_commit);
  });

  test('pushes nothing onto what is not a commit', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    of.repository.git('tag', '-a', '-m', 'a tag', 'tagged');
    const steps = await run(of, { base_commit: of.repository.git('rev-parse', 'tagged') });
    expect(steps.at(-1)).toMatchObject({
      step: 'refused',
      reason: expect.stringContaining('is not a commit'),
    });
  });

  test('pushes no other tree than the one that was judged', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    const steps = await run(of, { tree: 'c'.repeat(40) });
    expect(steps.at(-1)).toMatchObject({
      step: 'refused',
      reason: expect.stringContaining('patch_does_not_apply'),
    });
    expect(of.repository.git('branch', '--list', 'assay/*')).toBe('');
  });

  test('runs nothing of the patch: no filter, no attribute, no hook of its own', async () => {
    const of = work(
      { 'a.txt': 'a\n' },
      { 'a.txt': 'b\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' },
    );
    // What configures git on the machine has no part in it either.
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'filter.evil.clean');
    vi.stubEnv('GIT_CONFIG_VALUE_0', 'touch /tmp/assay-hacked');
    expect((await run(of)).at(-1)).toMatchObject({ step: 'delivered' });
    expect(of.repository.git('show', 'assay/T1:a.txt')).toBe('b');
    expect(existsSync('/tmp/assay-hacked')).toBe(false);
  });
});
