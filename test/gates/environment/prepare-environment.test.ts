import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SandboxFactory } from '../../../gates/core/sandbox-factory.ts';
import { EnvironmentSetting } from '../../../gates/environment/environment-setting.ts';
import { prepareEnvironment } from '../../../gates/environment/prepare-environment.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';
import { createPatchFixture } from '../../support/patch-fixture.ts';

test('takes no files while something that a line has started still runs', async () => {
  const { store, tree } = await createPatchFixture({ 'a.js': '' }, {});
  const place = createTemporaryFolder();
  const folders = { place, checkout: place, home: join(place, 'home'), tmp: join(place, 'tmp'), user: null };
  const sandboxes = {
    createBareSandbox: async () => ({
      folders,
      run: async () => ({ end: 'uncontained', startError: 'a process cannot be ended' }),
    }),
    storeOf: () => store,
    isPrivate: () => true,
    removeWithPrivateTree: () => {},
    startTimeLimit: () => () => 1_000,
  } as unknown as SandboxFactory;
  const setting = EnvironmentSetting.parse({ warm_up: ['sleep 9 &'] });
  const preparing = prepareEnvironment(tree, { sandboxes, setting, workDir: place, cacheFolder: null });
  await expect(preparing).rejects.toThrow('could not be ended');
});
