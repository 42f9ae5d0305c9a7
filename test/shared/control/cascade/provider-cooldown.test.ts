import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { AGENT_CLI_MANIFESTS } from '../../../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { selectNextAttemptModel } from '../../../../shared/control/cascade/model-selection.ts';
import {
  deriveProviderObservation,
  filterActiveCooldowns,
  type ProviderCooldown,
  type ProviderObservation,
  updateProviderCooldown,
} from '../../../../shared/control/cascade/provider-cooldown.ts';
import { selectFallbackAgent } from '../../../../shared/control/cascade/provider-fallback.ts';
import type { AvailableAgentClis } from '../../../../shared/control/task-commands/adapter-problems.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { ProviderCooldownStore } from '../../../../shared/store/provider-cooldowns.ts';
import {
  type CascadeContext,
  runSelectModelStep,
} from '../../../../shared/use-cases/cascade/cascade-steps.ts';
import { addSeconds, attempt, FIXED_NOW, NOOP_DEADLINES, report, task } from '../../../support/builders.ts';
import { MemoryTable } from '../../../support/memory-table.ts';

const CLAUDE = { kind: 'claude', timeout_s: 900 } as const;
const AGENTS: AvailableAgentClis = {
  defaultAdapter: CLAUDE,
  containerClis: null,
  installedClis: ['claude', 'codex'],
  modelVendors: ['anthropic', 'openai'],
  tierModels: MODELS,
};
const mark = (id: string, seconds = 0, asked: string | null = null): ProviderObservation => ({
  id,
  provider: 'anthropic',
  at: addSeconds(seconds).toISOString(),
  failure: { because: 'rate_limited', asked },
});
const until = (cooling: ProviderCooldown | null): number =>
  (Date.parse(cooling?.until ?? '') - FIXED_NOW.getTime()) / 1_000;

describe('a provider', () => {
  it('is left alone for longer with each time in a row, and not for ever', () => {
    const one = updateProviderCooldown(null, mark('a#1'));
    expect(until(one)).toBe(60);
    expect(until(updateProviderCooldown(one, mark('b#1')))).toBe(120);
    let all: ProviderCooldown | null = null;
    for (let each = 0; each < 20; each++) all = updateProviderCooldown(all, mark(`c#${each}`));
    expect(until(all)).toBe(3_600);
  });

  it('is left alone for as long as it asks, at the most six hours, and a late word does not shorten that', () => {
    const asked = updateProviderCooldown(null, mark('a#1', 0, addSeconds(900).toISOString()));
    expect(until(asked)).toBe(900);
    expect(until(updateProviderCooldown(asked, mark('b#1', 1, addSeconds(5).toISOString())))).toBe(900);
    expect(until(updateProviderCooldown(null, mark('a#1', 0, addSeconds(1e6).toISOString())))).toBe(
      6 * 3_600,
    );
  });

  it('counts an attempt once, and begins anew when it has answered', () => {
    const one = updateProviderCooldown(null, mark('a#1'));
    expect(updateProviderCooldown(one, mark('a#1', 50))).toBe(one);
    const well = updateProviderCooldown(one, { ...mark('b#1'), failure: null });
    expect(well?.consecutive_failures).toBe(0);
    expect(until(updateProviderCooldown(well, mark('c#1', 100)))).toBe(160);
    expect(updateProviderCooldown(null, { ...mark('b#1'), failure: null })).toBeNull();
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
    ).toMatchObject({ because: 'rate_limited' });
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
});

describe('a task whose provider is left alone', () => {
  const cold = async (of: ReturnType<typeof task>, agents: AvailableAgentClis = AGENTS, seconds = 0) => {
    const table = new MemoryTable();
    const store = new ProviderCooldownStore(
      new ItemTable(
        { send: async (each: unknown) => table.carryOut(each) } as unknown as DynamoDBDocumentClient,
        't',
      ),
    );
    await store.recordMark(mark('other#1'));
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
