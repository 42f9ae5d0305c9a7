import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_CLI_MANIFESTS } from '../../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../shared/contract/agents/tiers.ts';
import type { AvailableAgentClis } from '../../../shared/control/task-commands/adapter-problems.ts';
import { FileLockStore } from '../../../shared/store/file-locks.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { TaskStore } from '../../../shared/store/task-store.ts';
import {
  type CascadeContext,
  runDecideStep,
  runSelectModelStep,
} from '../../../shared/use-cases/cascade/cascade-steps.ts';
import { addSeconds, attempt, FIXED_NOW, report, task } from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

const agents: AvailableAgentClis = {
  defaultAdapter: { kind: 'claude', timeout_s: 900 },
  containerClis: ['claude', 'codex'],
  modelVendors: ['anthropic', 'openai'],
  tierModels: MODELS,
};
let table: Awaited<ReturnType<typeof createTestTable>>;
let context: CascadeContext;
beforeAll(async () => {
  table = await createTestTable();
  const tasks = new TaskStore(new ItemTable(table.db, 'tasks'));
  const locks = new FileLockStore(new ItemTable(table.db, 'tasks'), tasks);
  context = { tasks, deadlines: table.deadlines, locks, models: MODELS, agents, now: addSeconds(1) };
});
afterAll(() => table.close());

const down = (number: number) =>
  attempt({
    number,
    outcome: 'infra_failed',
    report: report({ status: 'failed', failure_code: 'provider_overloaded', retry_after_s: 600 }),
    decision: {
      action: 'retry',
      reason: 'provider_overloaded',
      next_model: MODELS.haiku,
      next_tier: 'haiku',
      at: FIXED_NOW.toISOString(),
    },
  });
async function selected(id: string, times: number) {
  const attempts = Array.from({ length: times }, (_, index) => down(index + 1));
  await context.tasks.create(task({ id, run: 1 }));
  await context.tasks.applyCommand(id, (present) => ({
    event: 'claim',
    task: { ...present, status: 'in_review', version: present.version + 1, attempts },
  }));
  const result = await runSelectModelStep(id, 1, context);
  return { result, last: (await context.tasks.require(id)).attempts.at(-1) };
}

it('books no model and no tier for a command that takes no model', async () => {
  const adapter = { kind: 'command' as const, argv: ['agent', '{prompt_file}'], timeout_s: 60 };
  await context.tasks.create(task({ id: 'plain', run: 1 }, { adapter }));
  await runSelectModelStep('plain', 1, context);
  await context.tasks.create(task({ id: 'named', run: 1 }, { adapter, model: 'qwen3-coder' }));
  await runSelectModelStep('named', 1, context);
  const [plain, named] = await Promise.all(['plain', 'named'].map((id) => context.tasks.require(id)));
  expect(plain?.attempts.at(-1)).toMatchObject({
    model: null,
    tier: null,
    route: { reason: 'the command takes no model' },
  });
  // The person has said which model it asks.
  expect(named?.attempts.at(-1)).toMatchObject({ model: 'qwen3-coder', tier: null });
});

describe('after a provider was down', () => {
  it('once, its agent waits for it', async () => {
    const { result, last } = await selected('once', 1);
    expect(result).toMatchObject({ stage: 'waiting' });
    expect(last?.number).toBe(1);
    expect((await table.deadlines.get('once'))?.deadline).toBe(addSeconds(600).toISOString());
  });

  it('its spend limit has another one go on at once, on the same tier, and the chain shows a fallback and no climb', async () => {
    const spent = attempt({
      report: report({ status: 'failed', failure_code: 'provider_spend_limit' }),
    });
    await context.tasks.create(task({ id: 'spent', run: 1 }));
    await context.tasks.applyCommand('spent', (present) => ({
      event: 'claim',
      task: { ...present, status: 'in_review', version: present.version + 1, attempts: [spent] },
    }));
    expect(await runDecideStep('spent', 1, context)).toMatchObject({ stage: 'select_model' });
    expect(await runSelectModelStep('spent', 1, context)).toMatchObject({ stage: 'run_agent', attempt: 2 });
    const [first, second] = (await context.tasks.require('spent')).attempts;
    expect(first?.decision).toMatchObject({ action: 'retry', next_adapter: 'codex' });
    expect(second).toMatchObject({
      adapter: 'codex',
      tier: 'haiku',
      model: AGENT_CLI_MANIFESTS.codex.tiers.models.haiku,
      route: { provider_fallback: { from: 'anthropic', to: 'codex', reason: 'provider_spend_limit' } },
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
      model: AGENT_CLI_MANIFESTS.codex.tiers.models.haiku,
    });
  });
});
