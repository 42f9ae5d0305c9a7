import { defineConfig } from 'vitest/config';

/** The tests that need the real CLIs: `npm run test:cli` installs them first. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['lab/agent-clis/*.real.ts'],
    globalSetup: ['test/temporary-folder-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 1,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
