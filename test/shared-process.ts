import { afterAll, expect, vi } from 'vitest';

/** Test files that share a process find the environment as it was: what one of them leaves there decides how the next ones end. */
const before = { ...process.env };
afterAll(() => {
  vi.unstubAllEnvs();
  expect({ ...process.env }).toEqual(before);
});
