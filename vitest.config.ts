import { defineConfig } from 'vitest/config';

/** File that gets the results as JSON besides the usual output; `.ci/run` counts from it. */
const report = process.env['ASSAY_TEST_REPORT'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/temporary-folder.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    restoreMocks: true,
    unstubEnvs: true,
    ...(report ? { reporters: ['default', ['json', { outputFile: report }]] } : {}),
  },
});
