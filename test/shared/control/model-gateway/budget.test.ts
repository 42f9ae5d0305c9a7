import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  mintLaunchToken,
  mintModelToken,
  parseBearerTokenClaims,
  parseModelToken,
} from '../../../../shared/contract/access/tokens.ts';
import { DEFAULT_TIER_MODELS as TIERS } from '../../../../shared/contract/agents/tiers.ts';
import { normaliseModelName } from '../../../../shared/contract/models/model-prices.ts';
import {
  computeModelCallCost,
  worstCaseMicroUsd,
} from '../../../../shared/control/model-gateway/call-cost.ts';
import {
  agentModelGrant,
  allowedModels,
  remainingBudgetUsd,
} from '../../../../shared/control/model-gateway/model-grant.ts';
import {
  BROKEN_CONNECTION_FAILURE,
  MAX_CONSECUTIVE_PROVIDER_FAILURES,
} from '../../../../shared/control/model-gateway/provider-failure.ts';
import type { ModelCallSettlement } from '../../../../shared/control/model-gateway/usage-meter.ts';
import { EMPTY_MODEL_ANSWER_USAGE } from '../../../../shared/control/model-gateway/usage-reader.ts';
import { parseRoleFileOfBase } from '../../../../shared/control/roles/base-role.ts';
import { findBuiltinRole } from '../../../../shared/control/roles/builtin-role.ts';
import { sha256 } from '../../../../shared/lib/sha256.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { UsageMeterStore } from '../../../../shared/store/usage-meters.ts';
import { addSeconds, attempt, FIXED_NOW, report, task } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

const AT = '2026-11-22T00:00:00.000Z';
const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
let table: Awaited<ReturnType<typeof createTestTable>>;
let meters: UsageMeterStore;
beforeAll(async () => {
  table = await createTestTable();
  meters = new UsageMeterStore(new ItemTable(table.db, 'tasks'));
});
afterAll(() => table.close());

const settled = (micro: number | null, end: ModelCallSettlement['end'] = 'well'): ModelCallSettlement => ({
  model: 'm',
  usage: none,
  micro,
  estimated: 0,
  substitution: null,
  end,
});

describe('a meter', () => {
  it('lets calls at a time overspend by no more than the worst case of one, whatever their order', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc.array(
          fc.record({
            worst: fc.integer({ min: 1, max: 60 }),
            share: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        fc.scheduler(),
        async (limit, calls, scheduler) => {
          const of = { taskId: `P${++number}`, attempt: 1, caller: 'agent' as const, limitMicro: limit };
          const make = async (
            { worst, share }: { worst: number; share: number },
            index: number,
          ): Promise<number> => {
            await scheduler.schedule(Promise.resolve());
            if ((await meters.reserve(of, `c${index}`, worst, FIXED_NOW)) !== 'made') return 0;
            await scheduler.schedule(Promise.resolve());
            const cost = Math.floor(worst * share);
            await meters.settle(of, `c${index}`, worst, settled(cost));
            return cost;
          };
          const all = Promise.all(calls.map(make));
          await scheduler.waitFor(all);
          const spent = (await all).reduce((sum, each) => sum + each, 0);
          const most = Math.max(...calls.map(({ worst }) => worst));
          expect(spent).toBeLessThanOrEqual(limit - 1 + most);
          expect(await meters.read(of.taskId, 1)).toMatchObject({ settled: spent, openReservations: [] });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('takes a reservation and a settlement that are sent twice for one', async () => {
    const of = { taskId: 'twice', attempt: 1, caller: 'agent' as const, limitMicro: 100 };
    expect(await meters.reserve(of, 'a', 60, FIXED_NOW)).toBe('made');
    expect(await meters.reserve(of, 'a', 60, FIXED_NOW)).toBe('made');
    expect(await meters.read('twice', 1)).toMatchObject({ calls: 1, openReservations: [60], settled: 0 });
    const usage = { ...none, output_tokens: 3 };
    for (let time = 0; time < 2; time++) await meters.settle(of, 'a', 60, { ...settled(10), usage });
    expect(await meters.read('twice', 1)).toMatchObject({
      calls: 1,
      openReservations: [],
      settled: 10,
      models: { m: usage },
    });
    expect(await meters.reserve(of, 'b', 90, FIXED_NOW)).toBe('made');
    expect(await meters.reserve(of, 'c', 1, FIXED_NOW)).toBe('spent');
  });

  it('does not grow with the names that a provider answers under', async () => {
    const of = { taskId: 'names', attempt: 1, caller: 'agent' as const, limitMicro: 1_000_000 };
    const usage = { ...none, input_tokens: 2, output_tokens: 1 };
    const answer = async (index: number) => {
      const name = `${index}-${'n'.repeat(190)}`;
      await meters.reserve(of, `c${index}`, 5, FIXED_NOW);
      await meters.settle(of, `c${index}`, 5, {
        ...settled(null),
        ...{ model: name, usage, substitution: `m > ${name}` },
      });
    };
    const sizeAfter = async (from: number, to: number): Promise<number> => {
      for (let index = from; index < to; index++) await answer(index);
      return JSON.stringify(await meters.read('names', 1)).length;
    };
    const small = await sizeAfter(0, 10);
    expect((await sizeAfter(10, 60)) - small).toBeLessThan(20);
    expect(await meters.read('names', 1)).toMatchObject({
      calls: 60,
      models: { '(other)': { input_tokens: 120, output_tokens: 60 } },
      substitution: `m > 0-${'n'.repeat(190)}`,
    });
  });

  it('goes on counting a call that nobody settles, and one without a price, as its reservation', async () => {
    const of = { taskId: 'lost', attempt: 1, caller: 'agent' as const, limitMicro: 100 };
    await meters.reserve(of, 'killed', 60, FIXED_NOW);
    await meters.reserve(of, 'unpriced', 50, FIXED_NOW);
    await meters.settle(of, 'unpriced', 50, settled(null));
    expect(await meters.read('lost', 1)).toMatchObject({ openReservations: [60], unpriced: 1 });
    expect(await meters.reserve(of, 'next', 1, FIXED_NOW)).toBe('spent');
  });

  it('knows the last trouble of the provider until a call goes well, and has no room after so many in a row', async () => {
    const of = { taskId: 'trouble', attempt: 1, caller: 'agent' as const, limitMicro: 100 };
    const limited = { code: 'rate_limited', status: 429, retryAtMs: FIXED_NOW.getTime() + 5_000 } as const;
    const call = async (name: string, end: ModelCallSettlement['end']) => {
      const made = await meters.reserve(of, name, 1, FIXED_NOW);
      for (let time = 0; time < 2; time++) await meters.settle(of, name, 1, settled(0, end));
      return made;
    };
    await call('a', limited);
    await call('b', 'unknown');
    expect((await meters.read('trouble', 1))?.providerFailure).toEqual({ ...limited, calls: 1 });
    await call('c', 'well');
    expect((await meters.read('trouble', 1))?.providerFailure).toBeNull();
    for (let index = 0; index < MAX_CONSECUTIVE_PROVIDER_FAILURES; index++)
      expect(await call(`d${index}`, index === 0 ? limited : BROKEN_CONNECTION_FAILURE)).toBe('made');
    expect((await meters.read('trouble', 1))?.providerFailure).toEqual({
      ...BROKEN_CONNECTION_FAILURE,
      calls: MAX_CONSECUTIVE_PROVIDER_FAILURES,
    });
    expect(await call('e', 'well')).toBe('failing');
  });

  it('has no room with a limit of nothing, and is none where nothing was called', async () => {
    expect(
      await meters.reserve(
        { taskId: 'zero', attempt: 1, caller: 'agent' as const, limitMicro: 0 },
        'a',
        1,
        FIXED_NOW,
      ),
    ).toBe('spent');
    expect(await meters.read('never', 1)).toBeNull();
  });
});

describe('a bill', () => {
  const worst = { input: 1_000, output: 500 };
  const read = { ...EMPTY_MODEL_ANSWER_USAGE, input: 10, output: 20 };

  it('has cached tokens at their own prices, those of an hour too', () => {
    const reading = { ...read, cacheRead: 100, cacheWrite: 200, cacheWriteHour: 50 };
    // 10 x 1 + 20 x 5 + 100 x 0.1 + 150 x 1.25 + 50 x 2, rounded up
    expect(computeModelCallCost(reading, 'claude-haiku-4-5', worst, AT)).toMatchObject({
      micro: 408,
      estimated: 0,
    });
  });

  it('reckons what was not counted at the worst, and never above what was reserved', () => {
    const reserved = worstCaseMicroUsd(worst, 'claude-haiku-4-5', AT);
    expect(reserved).toBe(1_000 * 2 + 500 * 5);
    expect(computeModelCallCost(EMPTY_MODEL_ANSWER_USAGE, 'claude-haiku-4-5', worst, AT)).toMatchObject({
      micro: reserved,
      estimated: reserved,
    });
    const half = computeModelCallCost(
      { ...EMPTY_MODEL_ANSWER_USAGE, input: 10 },
      'claude-haiku-4-5',
      worst,
      AT,
    );
    expect(half).toMatchObject({ micro: 10 + 2_500, estimated: 2_500 });
  });

  it('goes by the model that answered, and is unknown without a price', () => {
    const dearer = computeModelCallCost({ ...read, model: 'claude-opus-5-5' }, 'claude-haiku-4-5', worst, AT);
    expect(dearer).toMatchObject({ model: 'claude-opus-5-5', micro: 10 * 4 + 20 * 20 });
    expect(computeModelCallCost({ ...read, model: 'other' }, 'claude-haiku-4-5', worst, AT).micro).toBeNull();
  });

  it.each([
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['anthropic.claude-haiku-4-5', 'claude-haiku-4-5'],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['gpt-5.5-2026-04-01', 'gpt-5.5'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['claude-haiku-4-5-lookalike', 'claude-haiku-4-5-lookalike'],
  ])('takes %s for %s', (name, plain) => {
    expect(normaliseModelName(name)).toBe(plain);
  });
});

describe('a model token', () => {
  const token = mintModelToken('T1', 1);
  const launch = {
    number: 1,
    token_sha256: 'x',
    model_token_sha256: sha256(token),
    assignment_key: 'k',
    lost: false,
    launched_at: FIXED_NOW.toISOString(),
  };
  const running = attempt({ agent: launch });
  const options = { tiers: TIERS, maxAttemptUsd: 25, now: FIXED_NOW };
  const granted = (changes = {}, fields = {}, hash = sha256(token), now = FIXED_NOW) =>
    agentModelGrant(
      task({ id: 'T1', status: 'in_progress', ...fields, attempts: [{ ...running, ...changes }] }),
      1,
      hash,
      { ...options, now },
    );

  it('is of another kind than the token of a box, and neither is taken for the other', () => {
    expect(parseModelToken(token)).toEqual({ caller: 'agent', taskId: 'T1', attempt: 1 });
    expect(parseBearerTokenClaims(token)).toBeNull();
    expect(parseModelToken(mintLaunchToken('agent', 'T1', 1))).toBeNull();
  });

  it('is good while its attempt runs, and dead with its report, its end, its launch, its lease or its task', () => {
    expect(granted()).toMatchObject({
      taskId: 'T1',
      attempt: 1,
      models: ['claude-haiku-4-5'],
      hasTaskLimit: false,
    });
    for (const [changes, fields] of [
      [{ report: report() }, {}],
      [{ outcome: 'expired' }, {}],
      [{ agent: { ...launch, lost: true } }, {}],
      [{ agent: { ...launch, model_token_sha256: sha256('another') } }, {}],
      [{ agent: null }, {}],
      [{}, { status: 'cancelled' }],
    ] as const)
      expect(granted(changes, fields)).toBeNull();
    expect(granted({}, {}, sha256(token), addSeconds(3_600))).toBeNull();
    expect(granted({}, {}, sha256(mintModelToken('T1', 1)))).toBeNull();
  });

  it("allows the attempt's own model and those of cheaper tiers", () => {
    expect(allowedModels({ model: TIERS.opus, tier: 'opus' }, undefined, TIERS)).toEqual([
      TIERS.opus,
      TIERS.haiku,
      TIERS.sonnet,
    ]);
    expect(allowedModels({ model: 'gpt-5.5', tier: null }, undefined, TIERS)).toEqual(['gpt-5.5']);
    // A command that takes no model asks what it is set up for.
    expect(allowedModels({ model: null, tier: null }, undefined, TIERS)).toEqual(Object.values(TIERS));
  });

  it('has what earlier attempts of the round have left', () => {
    const attempts = [
      attempt({ number: 1, cost_usd: 5 }),
      attempt({ number: 2, cost_usd: 0.4 }),
      attempt({ number: 3, cost_usd: null }),
      attempt({ number: 4 }),
    ];
    expect(
      remainingBudgetUsd(
        task({ attempts, budget: { max_attempts: 5, max_cost_usd: 1 }, first_budgeted_attempt: 2 }),
      ),
    ).toBeCloseTo(0.6);
    expect(remainingBudgetUsd(task({ attempts }))).toBeNull();
    expect(granted({}, { budget: { max_attempts: 1, max_cost_usd: 0.5 } })).toMatchObject({
      limitMicro: 500_000,
      hasTaskLimit: true,
    });
    expect(granted({}, { budget: { max_attempts: 1, max_cost_usd: 100 } })?.limitMicro).toBe(25_000_000);
  });

  it('has no more than the role may cost, as the base of the task has it', () => {
    const base = (text: string | null) => ({ resolved_role: parseRoleFileOfBase('docs', text) });
    const builtin = findBuiltinRole('docs')?.config.limits.max_cost_usd ?? 0;
    expect(builtin).toBeGreaterThan(0);
    expect(granted({}, base('limits: { max_cost_usd: 0.25 }'))?.limitMicro).toBe(250_000);
    expect(granted({}, base('limits: { max_cost_usd: 9999 }'))?.limitMicro).toBe(25_000_000);
    expect(granted({}, base('model: haiku'))?.limitMicro).toBe(25_000_000);
    for (const text of [null, 'modell: haiku', 'limits: { max_cost_usd: -1 }'])
      expect(granted({}, base(text))?.limitMicro).toBe(builtin * 1e6);
  });
});
