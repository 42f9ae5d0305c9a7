import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADAPTER_FACTS } from '../../../shared/contract/agents/adapter-facts.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../shared/contract/agents/tiers.ts';
import type { Agents } from '../../../shared/control/task-commands/adapter-choice.ts';
import { LockStore } from '../../../shared/store/locks.ts';
import { TaskStore } from '../../../shared/store/tasks.ts';
import { type CascadeContext, decideStep, selectModel } from '../../../shared/use-cases/cascade/cascade.ts';
import { attempt, later, NOW, report, task } from '../../support/builders.ts';
import { testTable } from '../../support/dynalite.ts';

const agents: Agents = {
  fallback: { kind: 'claude', timeout_s: 900 },
  clis: ['claude', 'codex'],
  vendors: ['anthropic', 'openai'],
  tiers: MODELS,
};
let table: Awaited<ReturnType<typeof testTable>>;
let context: CascadeContext;
beforeAll(async () => {
  table = await testTable();
  const tasks = new TaskStore(table.db, 'tasks');
  const locks = new LockStore(table.db, 'tasks', tasks);
  context = { tasks, deadlines: table.deadlines, locks, models: MODELS, agents, now: later(1) };
});
afterAll(() => table.close());

const down = (number: number) =>
  attempt({
    number,
    outcome: 'infra_failed',
    report: report({ status: 'failed', failure_class: 'provider_overloaded', retry_after_s: 600 }),
    decision: {
      action: 'retry',
      reason: 'provider_overloaded',
      next_model: MODELS.haiku,
      next_tier: 'haiku',
      at: NOW.toISOString(),
    },
  });
async function selected(id: string, times: number) {
  const attempts = Array.from({ length: times }, (_, index) => down(index + 1));
  await context.tasks.create(task({ id, run: 1 }));
  await context.tasks.change(id, (present) => ({
    event: 'claim',
    task: { ...present, status: 'in_review', version: present.version + 1, attempts },
  }));
  const result = await selectModel(id, 1, context);
  return { result, last: (await context.tasks.require(id)).attempts.at(-1) };
}

describe('after a provider was down', () => {
  it('once, its agent waits for it', async () => {
    const { result, last } = await selected('once', 1);
    expect(result).toMatchObject({ stage: 'waiting' });
    expect(last?.number).toBe(1);
    expect((await table.deadlines.get('once'))?.deadline).toBe(later(600).toISOString());
  });

  it('its spend limit has another one go on at once, on the same tier, and the chain shows a fallback and no climb', async () => {
    const spent = attempt({
      report: report({ status: 'failed', failure_class: 'provider_spend_limit' }),
    });
    await context.tasks.create(task({ id: 'spent', run: 1 }));
    await context.tasks.change('spent', (present) => ({
      event: 'claim',
      task: { ...present, status: 'in_review', version: present.version + 1, attempts: [spent] },
    }));
    expect(await decideStep('spent', 1, context)).toMatchObject({ stage: 'select_model' });
    expect(await selectModel('spent', 1, context)).toMatchObject({ stage: 'run_agent', attempt: 2 });
    const [first, second] = (await context.tasks.require('spent')).attempts;
    expect(first?.decision).toMatchObject({ action: 'retry', next_adapter: 'codex' });
    expect(second).toMatchObject({
      adapter: 'codex',
      tier: 'haiku',
      model: ADAPTER_FACTS.codex.tiers.models.haiku,
      route: { fallback: { from: 'anthropic', to: 'codex', because: 'provider_spend_limit' } },
    });
    expect(second?.route?.reason).toContain(
      'after attempt 1: provider_spend_limit; codex has another provider',
    );
  });

  it('twice in a row, the agent of another one begins at once, on the same tier', async () => {
    const { result, last } = await selected('twice', 2);
    expect(result).toMatchObject({ stage: 'run_agent', attempt: 3 });
    expect(last).toMatchObject({
      number: 3,
      adapter: 'codex',
      tier: 'haiku',
      model: ADAPTER_FACTS.codex.tiers.models.haiku,
    });
  });
});
