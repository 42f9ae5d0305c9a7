import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { AGENT_CLI_MANIFESTS } from '../../../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { selectNextAttemptModel } from '../../../../shared/control/cascade/model-selection.ts';
import {
  claimProviderProbe,
  clearProviderCooldown,
  determineProviderState,
  filterActiveCooldowns,
  filterBlockingCooldowns,
  PROBE_SECONDS,
  type ProviderCooldown,
  type ProviderObservation,
  updateProviderCooldown,
} from '../../../../shared/control/cascade/provider-cooldown.ts';
import { selectFallbackAgent } from '../../../../shared/control/cascade/provider-fallback.ts';
import { deriveProviderObservation } from '../../../../shared/control/cascade/provider-observation.ts';
import type { AvailableAgentClis } from '../../../../shared/control/task-commands/adapter-problems.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { ProviderCooldownStore } from '../../../../shared/store/provider-cooldowns.ts';
import {
  type CascadeContext,
  runSelectModelStep,
} from '../../../../shared/use-cases/cascade/cascade-steps.ts';
import {
  addSeconds,
  attempt,
  FIXED_NOW,
  meteredUsage,
  NOOP_DEADLINES,
  report,
  task,
} from '../../../support/builders.ts';
import { MemoryTable } from '../../../support/memory-table.ts';

const CLAUDE = { kind: 'claude', timeout_s: 900 } as const;
const AGENTS: AvailableAgentClis = {
  defaultAdapter: CLAUDE,
  containerClis: null,
  installedClis: ['claude', 'codex'],
  modelVendors: ['anthropic', 'openai'],
  tierModels: MODELS,
};
/** A failure that an attempt has met, which started `began` seconds after the fixed time. */
const mark = (
  id: string,
  seconds = 0,
  asked: string | null = null,
  began = seconds,
): ProviderObservation => ({
  id,
  provider: 'anthropic',
  started_at: addSeconds(began).toISOString(),
  at: addSeconds(seconds).toISOString(),
  failure: { reason: 'rate_limited', asked },
});
const until = (cooling: ProviderCooldown | null): number =>
  (Date.parse(cooling?.until ?? '') - FIXED_NOW.getTime()) / 1_000;

const success = (id: string, seconds = 0): ProviderObservation => ({ ...mark(id, seconds), failure: null });

describe('provider cooldown', () => {
  it('counts one outage once, however many tasks fail in it', () => {
    let all: ProviderCooldown | null = null;
    for (let each = 0; each < 7; each++)
      all = updateProviderCooldown(all, mark(`t${each}#1`, each / 7, null, -10));
    expect(all?.consecutive_failures).toBe(1);
    expect(until(all)).toBe(60);
  });

  it('backs off also where the provider names a time that is over, or too early each time', () => {
    const over = updateProviderCooldown(null, mark('a#1', 0, addSeconds(-5).toISOString()));
    expect(until(over)).toBe(60);
    const early = updateProviderCooldown(null, mark('a#1', 0, addSeconds(1).toISOString()));
    expect(until(early)).toBe(1);
    const again = updateProviderCooldown(early, mark('b#1', 2, addSeconds(3).toISOString()));
    expect(until(again)).toBe(2 + 120);
  });

  it('doubles the pause when an attempt after it fails again, up to an hour', () => {
    let all = updateProviderCooldown(null, mark('a#1'));
    all = updateProviderCooldown(all, mark('b#1', 61));
    expect(all?.consecutive_failures).toBe(2);
    expect(until(all)).toBe(61 + 120);
    for (let each = 0; each < 20; each++)
      all = updateProviderCooldown(all, mark(`c#${each}`, until(all) + 1));
    const before = until(all);
    expect(until(updateProviderCooldown(all, mark('last#1', before + 1)))).toBe(before + 1 + 3_600);
  });

  it('lasts as long as the provider asks, at most eight days (a weekly limit), and a late report does not shorten it', () => {
    const asked = updateProviderCooldown(null, mark('a#1', 0, addSeconds(900).toISOString()));
    expect(until(asked)).toBe(900);
    expect(until(updateProviderCooldown(asked, mark('b#1', 1, addSeconds(5).toISOString())))).toBe(900);
    expect(until(updateProviderCooldown(asked, mark('b#1', 1, addSeconds(950).toISOString())))).toBe(950);
    expect(until(updateProviderCooldown(null, mark('a#1', 0, addSeconds(1e6).toISOString())))).toBe(
      8 * 86_400,
    );
  });

  it('ends with a success, also while it lasts; the next outage is the first in a row', () => {
    const one = updateProviderCooldown(null, mark('a#1'));
    expect(updateProviderCooldown(one, mark('a#1', 50))).toBe(one);
    const ended = updateProviderCooldown(one, success('b#1', 10));
    expect(ended).toMatchObject({ consecutive_failures: 0 });
    expect(until(ended)).toBe(10);
    expect(filterBlockingCooldowns(ended ? [ended] : [], 'x', addSeconds(11))).toEqual([]);
    const again = updateProviderCooldown(ended, mark('c#1', 100));
    expect(again?.consecutive_failures).toBe(1);
    expect(until(again)).toBe(160);
    expect(updateProviderCooldown(null, success('b#1'))).toBeNull();
  });

  it('is not ended by a success from before the outage', () => {
    const one = updateProviderCooldown(null, mark('a#1', 10));
    expect(updateProviderCooldown(one, success('b#1', 9))).toBe(one);
  });

  it('lets one task at a time try the provider when the pause is over', () => {
    const open = updateProviderCooldown(null, mark('a#1')) as ProviderCooldown;
    expect(determineProviderState(open, addSeconds(59))).toBe('open');
    expect(claimProviderProbe(open, 'p', addSeconds(59))).toBeNull();
    expect(determineProviderState(open, addSeconds(61))).toBe('half_open');
    const probed = claimProviderProbe(open, 'p', addSeconds(61)) as ProviderCooldown;
    expect(claimProviderProbe(probed, 'q', addSeconds(62))).toBeNull();
    expect(claimProviderProbe(probed, 'p', addSeconds(62))).not.toBeNull();
    expect(filterBlockingCooldowns([probed], 'q', addSeconds(62))).toMatchObject([
      { until: addSeconds(61 + PROBE_SECONDS).toISOString() },
    ]);
    expect(filterBlockingCooldowns([probed], 'p', addSeconds(62))).toEqual([]);
    expect(claimProviderProbe(probed, 'q', addSeconds(61 + PROBE_SECONDS))).not.toBeNull();
    const failed = updateProviderCooldown(probed, mark('p#1', 63, null, 61));
    expect(failed).toMatchObject({ consecutive_failures: 2, probe: null });
  });

  it('ends when an operator clears it, and keeps who did', () => {
    const open = updateProviderCooldown(null, mark('a#1')) as ProviderCooldown;
    const cleared = clearProviderCooldown(open, { by: 'ann', reason: 'new key' }, addSeconds(5));
    expect(determineProviderState(cleared, addSeconds(5))).toBe('closed');
    expect(cleared.cleared).toEqual({ by: 'ann', reason: 'new key', at: addSeconds(5).toISOString() });
    expect(until(cleared)).toBe(5);
  });

  it('is marked by the end of an attempt that it could not do, and by nothing else', () => {
    const working = task({ status: 'in_progress', attempts: [attempt({ report: null })] });
    const told = (of: Parameters<typeof report>[0]) => ({
      ...working,
      attempts: [attempt({ report: report(of) })],
    });
    expect(
      deriveProviderObservation(working, told({ status: 'failed', failure_code: 'rate_limited' }), CLAUDE)
        ?.failure,
    ).toMatchObject({ reason: 'rate_limited' });
    expect(
      deriveProviderObservation(
        working,
        told({ status: 'failed', failure_code: 'provider_spend_limit' }),
        CLAUDE,
      )?.failure,
    ).not.toBeNull();
    expect(deriveProviderObservation(working, told({ status: 'completed' }), CLAUDE)).toMatchObject({
      provider: 'anthropic',
      failure: null,
    });
    expect(
      deriveProviderObservation(working, told({ status: 'failed', failure_code: 'agent_crashed' }), CLAUDE),
    ).toBeNull();
    expect(
      deriveProviderObservation(working, told({ status: 'completed' }), {
        kind: 'command',
        argv: ['x'],
        timeout_s: 9,
      } as never),
    ).toBeNull();
    expect(
      deriveProviderObservation(told({ status: 'completed' }), told({ status: 'completed' }), CLAUDE),
    ).toBeNull();
  });

  it('is not marked by a claim of the container against what the gateway metered', () => {
    const working = task({ status: 'in_progress', attempts: [attempt({ report: null })] });
    const claim = report({ status: 'failed', failure_code: 'rate_limited', retry_after_s: 8 * 86_400 });
    const observe = (metered_usage: ReturnType<typeof meteredUsage> | null) =>
      deriveProviderObservation(
        working,
        { ...working, attempts: [attempt({ report: claim, metered_usage })] },
        CLAUDE,
      );
    const trouble = { code: 'rate_limited', status: 429, calls: 3, retry_at: null } as const;
    const retry_at = addSeconds(90_000).toISOString();
    expect(observe(meteredUsage())).toBeNull();
    expect(observe(meteredUsage(trouble))?.failure).toEqual({ reason: 'rate_limited', asked: null });
    expect(observe(meteredUsage({ ...trouble, retry_at }))?.failure?.asked).toBe(retry_at);
    expect(Date.parse(observe(null)?.failure?.asked ?? '') - Date.parse(claim.at)).toBe(6 * 3_600_000);
  });
});

describe('a task whose provider is left alone', () => {
  const cold = async (
    of: ReturnType<typeof task>,
    agents: AvailableAgentClis = AGENTS,
    seconds = 0,
    before: (store: ProviderCooldownStore) => Promise<unknown> = async () => undefined,
  ) => {
    const table = new MemoryTable();
    const store = new ProviderCooldownStore(
      new ItemTable(
        { send: async (each: unknown) => table.carryOut(each) } as unknown as DynamoDBDocumentClient,
        't',
      ),
    );
    await store.recordMark(mark('other#1'));
    await before(store);
    let written = of;
    const context = {
      tasks: {
        get: async () => written,
        listFirstWaiting: async () => [],
        apply: async (_: unknown, command: (each: typeof of) => { task: typeof of } | null) => {
          const changed = command(written);
          written = changed?.task ?? written;
          return { task: written, changed: changed !== null };
        },
      },
      locks: { acquire: async () => null },
      deadlines: NOOP_DEADLINES,
      models: MODELS,
      agents,
      providers: store,
      now: addSeconds(seconds),
    } as unknown as CascadeContext;
    const said = await runSelectModelStep(of.id, of.run, context);
    return { said, attempt: written.attempts.at(-1) };
  };
  const open = () => ({
    ...task({ status: 'open', run: 1 }),
    base_commit: 'a'.repeat(40),
    resolved_role: { source: 'builtin' } as never,
  });

  it('goes to another agent on the same tier at once, and its attempt says that it was no climb', async () => {
    const { said, attempt: started } = await cold(open());
    expect(said.wait_s).toBeUndefined();
    expect(started).toMatchObject({
      adapter: 'codex',
      model: AGENT_CLI_MANIFESTS.codex.tiers.models[started?.tier as 'haiku'],
      route: {
        provider_fallback: {
          from: 'anthropic',
          to: 'codex',
          reason: 'rate_limited',
          until: addSeconds(60).toISOString(),
        },
      },
    });
  });

  it('waits while another task tries the provider after the pause', async () => {
    const alone = { ...AGENTS, installedClis: ['claude'] as const };
    const waits = await cold(open(), alone, 61, (store) =>
      store.claimProbe('anthropic', 'other', addSeconds(61)),
    );
    expect(waits.said).toMatchObject({ stage: 'select_model', wait_s: PROBE_SECONDS });
    const own = await cold(open(), alone, 61, (store) =>
      store.claimProbe('anthropic', open().id, addSeconds(61)),
    );
    expect(own.said.wait_s).toBeUndefined();
  });

  it('waits for the end of it where there is no other agent, and begins at home when it is over', async () => {
    const alone = { ...AGENTS, installedClis: ['claude'] as const };
    expect((await cold(open(), alone, 20)).said).toMatchObject({ stage: 'select_model', wait_s: 40 });
    const { attempt: started } = await cold(open(), alone, 61);
    expect(started?.adapter).toBeUndefined();
    expect(started?.route?.provider_fallback).toBeUndefined();
  });

  it('goes back by tier when its own provider answers again, also where it has climbed meanwhile', () => {
    const away = attempt({
      tier: 'haiku',
      model: 'gpt-6-luna',
      adapter: 'codex',
      outcome: 'failed',
      route: {
        rule: 'low',
        reason: 'x',
        provider_fallback: {
          from: 'anthropic',
          to: 'codex',
          reason: 'rate_limited',
          until: FIXED_NOW.toISOString(),
        },
      },
      decision: {
        action: 'escalate',
        reason: 'x',
        next_model: 'gpt-6.1-sol',
        next_tier: 'sonnet',
        at: FIXED_NOW.toISOString(),
      },
    });
    const of = task({ status: 'in_review', attempts: [away] });
    expect(selectNextAttemptModel(of, MODELS, null, null, true)).toMatchObject({
      adapter: null,
      rung: { tier: 'sonnet', model: MODELS.sonnet },
    });
    expect(selectNextAttemptModel(of, MODELS, null, null, false)).toMatchObject({
      adapter: 'codex',
      rung: { model: 'gpt-6.1-sol' },
    });
    expect(selectFallbackAgent({ ...of, attempts: [] }, AGENTS, ['anthropic', 'openai'])).toBeNull();
    expect(filterActiveCooldowns([], FIXED_NOW)).toEqual([]);
  });
});
