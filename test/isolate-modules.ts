import { afterAll, vi } from 'vitest';

/**
 * Test files that set up their modules by the environment, or keep state in them, share a process and what it has of packages, such as the
 * AWS SDK; of our own modules each file gets new ones, and the environment is as it was when it is done.
 */
vi.resetModules();

const before = { ...process.env };
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
