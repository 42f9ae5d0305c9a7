import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import {
  CDK_TESTS,
  EMBEDDED_STACK_TESTS,
  LAMBDA_HANDLER_TESTS,
  OWN_PROCESS_TESTS,
  PROGRAM_TESTS,
  SLOW_TESTS,
} from './test/groups.ts';

/** File that gets the results as JSON besides the usual output; `.ci/run` counts from it. */
const report = process.env['ASSAY_TEST_REPORT'];

/** Workers, and programs that tests start, need not compile again what any of them has compiled. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.cache/compiled');

const ALL = ['test/**/*.test.ts'];
const files = (...lists: readonly Readonly<Record<string, readonly string[]>>[]): string[] =>
  lists.flatMap((list) => Object.values(list).flat());

/** Files that share processes. */
const SHARED = { isolate: false, setupFiles: ['test/restore-environment.ts'] };
/** Files that share processes, but none of our modules. */
const FRESH = { isolate: false, setupFiles: ['test/isolate-modules.ts'] };

export default defineConfig({
  test: {
    globalSetup: ['test/temporary-folder-setup.ts'],
    // Of files with a process of their own; for the others see `PATIENT`.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // One more than cores: tests that wait, for a program or a clock, left a fifth of two cores idle.
    maxWorkers: availableParallelism() + 1,
    restoreMocks: true,
    unstubEnvs: true,
    ...(report ? { reporters: ['default', ['json', { outputFile: report }]] } : {}),
    projects: [
      // Files share a few processes: to start one for each, and to load the modules anew, took longer than most of them do.
      {
        extends: true,
        test: {
          name: 'quick',
          include: ALL,
          exclude: files(
            OWN_PROCESS_TESTS,
            CDK_TESTS,
            EMBEDDED_STACK_TESTS,
            LAMBDA_HANDLER_TESTS,
            SLOW_TESTS,
            PROGRAM_TESTS,
          ),
          ...SHARED,
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: files(PROGRAM_TESTS),
          exclude: files(OWN_PROCESS_TESTS, SLOW_TESTS),
          ...SHARED,
        },
      },
      {
        extends: true,
        test: {
          name: 'embedded',
          include: files(EMBEDDED_STACK_TESTS),
          exclude: files(SLOW_TESTS),
          ...FRESH,
        },
      },
      {
        extends: true,
        test: {
          name: 'functions',
          include: files(LAMBDA_HANDLER_TESTS),
          exclude: files(SLOW_TESTS),
          ...FRESH,
        },
      },
      {
        extends: true,
        test: { name: 'cdk', include: files(CDK_TESTS), exclude: files(SLOW_TESTS), ...SHARED },
      },
      {
        extends: true,
        test: { name: 'alone', include: files(OWN_PROCESS_TESTS), exclude: files(SLOW_TESTS) },
      },
      // Left out of `npm test`; `npm run test:long` and `npm run check` run them.
      { extends: true, test: { name: 'long', include: files(SLOW_TESTS) } },
    ],
  },
});
