import { expect, it } from 'vitest';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { precheckQualityGate } from '../../../../shared/use-cases/review/quality-gate.ts';
import * as build from '../../../support/builders.ts';
import { stub } from '../../../support/stub.ts';

const AGENT = build.launch({ model_token_sha256: 'a'.repeat(64) });
const metered = (calls: number) => stub<NonNullable<Attempt['metered_usage']>>({ calls });

it.each([
  ['no meter exists after the run', { agent: AGENT, metered_usage: null }, true, 'used no tool'],
  ['the meter has no call', { agent: AGENT, metered_usage: metered(0) }, true, 'used no tool'],
  ['the meter has a call', { agent: AGENT, metered_usage: metered(1) }, true, null],
  ['the gateway does not meter', { agent: AGENT, metered_usage: null }, false, null],
  ['the agent had no token of the gateway', { agent: null, metered_usage: null }, true, null],
] as const)('knows whether an agent used a tool where %s', async (_name, fields, isMetered, why) => {
  const attempt = build.attempt({ model: 'claude-haiku-4-5', ...fields });
  const found = await precheckQualityGate(
    {
      task: build.task({}, { adapter: { kind: 'claude', timeout_s: 60 } as never }),
      attempt,
      evidence: build.evidence(),
    },
    { readBreaker: async () => null, isMetered, now: () => build.FIXED_NOW },
  );
  if (why === null) expect(found).toBeNull();
  else expect(found).toMatchObject({ outcome: 'failed', reasons: [expect.stringContaining(why)] });
});
