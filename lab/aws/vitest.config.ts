import { defineConfig } from 'vitest/config';

/** The tests on the emulator: `npm run test:aws` makes the machine that they need and starts this in it. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['lab/aws/*.aws.ts'],
    globalSetup: ['test/temporary-folder-setup.ts', 'lab/aws/deployment/global-setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
