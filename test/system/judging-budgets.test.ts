import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Budgets } from '../../shared/contract/models/budgets.ts';
import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ItemTable } from '../../shared/store/item-table.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { tableOf } from './support/embedded-table.ts';
import { PROJECT, Repository, RIGHT } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const KEY = `sk-planted-${randomBytes(16).toString('hex')}`;
/** Of the longest questions and answers of its judge, each asked twice, by the prices of claude-sonnet-5-5; and of the short ones that are scripted. */
const SET_ASIDE = 68_480;
const TOOK = 3_000;
const CRITERIA = 'sum adds its arguments, whatever they are';

let models: ModelServer;
let stack: Stack;
let plain: Repository;
let intent: Repository;
let table: Awaited<ReturnType<typeof tableOf>>;
/** What was spent or set aside when a model was asked. */
let whenAsked: Promise<number>[] = [];
const taken = () =>
  new ModelSpendStore(new ItemTable(table.db, table.name)).readDayTotal(
    new Date().toISOString().slice(0, 10),
  );

const started = async (budgets: Budgets): Promise<void> => {
  const of = (model: string) => ({
    provider: 'anthropic' as const,
    model,
    key: { via: 'environment' as const, variable: 'JUDGE_KEY' },
    url: models.url,
  });
  const judges: JudgeModels = { judge: of('claude-sonnet-5-5'), intent: of('claude-haiku-4-5') };
  stack = await Stack.start({
    JUDGE_KEY: KEY,
    [FUNCTION_ENV_NAMES.judgeKeys]: 'JUDGE_KEY',
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(judges),
    ANTHROPIC_API_KEY: '',
    ASSAY_CASCADE_POLICY: JSON.stringify({ budgets }),
  });
  table = await tableOf(stack.dataDir);
};
const stopped = async (): Promise<void> => {
  table.close();
  await stack.stop();
};
beforeAll(async () => {
  models = await startModelServer({
    answer: ({ conversation }) => {
      whenAsked.push(taken());
      return conversation.includes(CRITERIA)
        ? { reasons: ['src/sum.js adds'], verdict: 'accept', confidence: 0.95 }
        : { reason: 'src/sum.js adds', verdict: 'yes' };
    },
  });
  models.setScenario('ok');
  plain = new Repository(PROJECT);
  intent = new Repository({
    ...PROJECT,
    'assay.yaml': `${PROJECT['assay.yaml']}  intent_verification: { enabled: true }\n`,
  });
});
afterAll(async () => {
  await models.stop();
  plain.remove();
  intent.remove();
});

/** Work of an outside agent, for whose attempt nothing is set aside when it is claimed. */
async function handedIn(repository: Repository, signals: object[]): Promise<string> {
  const { id } = await stack.submit({
    title: 'Make sum add',
    repository: repository.url,
    runner: 'external',
    completion_signals: signals,
  });
  await stack.claimable(id);
  const { token } = (await stack.call<{ token: string }>('POST', `/tasks/${id}/claim`, {})).body;
  const folder = `${repository.folder}/${id}`;
  repository.git('clone', '-q', repository.bare, folder);
  const base_commit = repository.git('-C', folder, 'rev-parse', 'HEAD');
  writeFileSync(`${folder}/src/sum.js`, RIGHT);
  repository.git('-C', folder, 'add', '-A');
  const tree = repository.git('-C', folder, 'write-tree');
  const patch = `${repository.git('-C', folder, 'diff', '--cached', '--binary', '--full-index')}\n`;
  whenAsked = [];
  const handed = { base_commit, tree, patch, summary: 'sum adds now' };
  const { status } = await stack.call('POST', `/tasks/${id}/complete`, handed, {
    authorization: `Bearer ${token}`,
  });
  expect(status).toBe(200);
  return id;
}
const JUDGED = [{ type: 'llm_judge', criteria: CRITERIA }];
const READ = [{ type: 'file_contains', path: 'src/sum.js', contains: 'a + b' }];
/** What was set aside when each question was put, and what counts once all has followed. */
async function done(id: string): Promise<{ readonly asked: number[]; readonly after: number }> {
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', verified: true });
  await stack.control('POST', '/drain');
  return { asked: await Promise.all(whenAsked), after: await taken() };
}
const reasonsOf = async (id: string): Promise<string> => {
  const { hold } = await stack.until(id, 'a hold', (task) => task.hold !== null);
  return hold?.reasons.join('\n') ?? '';
};

describe('a budget that one judging fits into, and a little more', () => {
  beforeAll(() => started({ day_usd: (SET_ASIDE + 1.5 * TOOK) / 1e6 }));
  afterAll(stopped);

  it('has money set aside before a judge is asked, takes back what was not used, and asks nobody when it does not fit', async () => {
    const first = await done(await handedIn(plain, JUDGED));
    expect(first).toEqual({ asked: [SET_ASIDE], after: TOOK });
    // It fits only because the first has given back.
    const second = await done(await handedIn(plain, JUDGED));
    expect(second).toEqual({ asked: [TOOK + SET_ASIDE], after: 2 * TOOK });

    const third = await handedIn(plain, JUDGED);
    expect(await reasonsOf(third)).toMatch(
      /judging this work could exceed the budget of the deployment for a day: \$0\.0060 of \$0\.0730 .*up to \$0\.0685/,
    );
    expect([whenAsked, await taken()]).toEqual([[], 2 * TOOK]);
  });

  it('has money set aside for the question of a gate in its box', async () => {
    const before = await taken();
    const { asked, after } = await done(await handedIn(intent, READ));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toBeGreaterThan(after);
    expect(after).toBeGreaterThan(before);
  });
});

describe('a budget that no question fits into', () => {
  beforeAll(() => started({ day_usd: 0.000_1 }));
  afterAll(stopped);

  it('has no gate ask, and holds the work for a person', async () => {
    const id = await handedIn(intent, READ);
    await reasonsOf(id);
    const [attempt] = await stack.attempts(id);
    const gate = attempt?.verification?.gates.find(({ name }) => name === 'intent_verification');
    expect(gate).toMatchObject({ outcome: 'could_not_run' });
    expect(JSON.stringify(gate)).toContain('budget');
    expect([whenAsked, await taken()]).toEqual([[], 0]);
  });
});
