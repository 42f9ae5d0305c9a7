import { matchesGlob, relative } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { LONG_TIMEOUT_TESTS } from './groups.ts';

/** A second would do for most; those who wait for programs get what a busy machine needs. */
const file = relative(process.cwd(), expect.getState().testPath ?? '');
const isPatient = Object.values(LONG_TIMEOUT_TESTS)
  .flat()
  .some((each) => matchesGlob(file, each));
const limit = isPatient ? 120_000 : 10_000;
vi.setConfig({ testTimeout: limit, hookTimeout: limit });

/** Test files that share a process find the environment and `fetch` as they were: what one of them leaves decides how others end. */
const before = { ...process.env };
const fetchBefore = globalThis.fetch;
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  expect({ ...process.env }).toEqual(before);
  expect(globalThis.fetch).toBe(fetchBefore);
});
