import { afterAll, beforeAll, expect, it } from 'vitest';
import { SMOKE_STEPS } from '../../cli/smoke/smoke-steps.ts';
import { assay } from '../cli/support.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

it('runs one task of a built-in repository through the stack, and says how long each step took', async () => {
  const { url, token } = stack.ready;
  const env = { ASSAY_URL: url, ASSAY_TOKEN: token };
  const ran = await assay(['smoke', '--json', '--timeout', '120'], { env });
  expect(ran.code, ran.stderr).toBe(0);
  const said = JSON.parse(ran.stdout) as { steps: { step: string; ms: number }[] } & Record<string, unknown>;
  expect(said).toMatchObject({ ok: true, status: 'done', branch: `assay/${String(said['task_id'])}` });
  expect(said.steps.map(({ step }) => step)).toEqual(['reach', 'submit', ...SMOKE_STEPS]);
  for (const { step, ms } of said.steps) expect(ms, step).toBeGreaterThanOrEqual(0);
});
