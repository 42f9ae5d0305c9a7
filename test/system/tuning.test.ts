import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TuningView } from '../../shared/api/tuning-schemas.ts';
import type { AttemptChainRow } from '../../shared/control/ledger/record-rows.ts';
import { isInTrialGroup } from '../../shared/control/tune/active-changes.ts';
import { agent, PROJECT, Repository, RIGHT, uses, WRONG, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;

beforeAll(async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start({
    ASSAY_CASCADE_POLICY: JSON.stringify({ policy: 'fixed', tuning_level: 'L2' }),
  });
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
});

/** What the deployment itself proposes to tell agents, where the tests fail most often. */
const TOLD = 'fails at the gate "tests"';
/** The cheapest tier breaks it unless it is told to look first; the others do it. All say what they have used. */
const CARELESS = agent(
  `const told = fs.readFileSync(process.argv[2], 'utf8').includes(${JSON.stringify(TOLD)});
   ${uses(20_000, 2_000)}
   if (model.includes('haiku') && !told) { ${writes('src/sum.js', WRONG)} } else { ${writes('src/sum.js', RIGHT)} }`,
);
const WORK = { ...CARELESS, argv: [...CARELESS.argv, '{prompt_file}'] };

/** Has tasks of backend done, side by side, until all that follows from them has happened. */
async function done(ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += 5) {
    const some = ids.slice(at, at + 5);
    for (const id of some)
      await stack.submit({
        id,
        title: 'Mend sum',
        repository: repository.url,
        complexity: 'low',
        completion_signals: [{ type: 'test_passes', command: 'node --test' }],
        adapter: WORK,
      });
    for (const id of some) await stack.ended(id);
  }
  await stack.control('POST', '/drain');
}
const tiersOf = async (id: string) => {
  await done([id]);
  return (await stack.attempts(id)).map(({ tier, outcome }) => `${tier} ${outcome}`);
};
const say = (path: string, body: object) => stack.call<TuningView>('POST', `/tuning/${path}`, body);
const state = async () => (await stack.call<TuningView>('GET', '/tuning')).body;
const proposalOf = (view: TuningView, kind: string) =>
  view.proposals.find(({ change: setting }) => setting.kind === kind);

const CLIMBS = ['haiku failed', 'sonnet passed'];

describe('a deployment that changes its settings by its own records', () => {
  it('proposes a route and a prompt from what tasks came to, and nothing from too few', async () => {
    await done(['early-0', 'early-1']);
    expect((await say('propose', { reason: 'what is known?' })).body.proposals).toEqual([]);
    await done(Array.from({ length: 20 }, (_, n) => `work-${n}`));
    const { status, body } = await say('propose', { reason: 'what is known now?' });
    expect(status).toBe(200);
    expect(body.proposals.map(({ change: setting }) => setting)).toEqual(
      expect.arrayContaining([
        { kind: 'route', role: 'backend', complexity: 'low', tier: 'sonnet' },
        { kind: 'prompt', role: 'backend', text: expect.stringContaining(TOLD) },
      ]),
    );
    expect(body.active_changes).toEqual([]);
    expect(proposalOf(body, 'route')?.evidence).toContain('haiku passed 0 of 22');
    expect(proposalOf(body, 'prompt')?.evidence).toContain('tests held 22 of 44 patches');
    expect((await say('propose', { reason: 'and again' })).body.proposals).toHaveLength(2);
  }, 300_000);

  it('applies the route when a replay of these records shows that it saves, goes by it at once, and puts back exactly what was', async () => {
    const before = await state();
    const id = proposalOf(before, 'route')?.id ?? '';
    expect(await tiersOf('before')).toEqual(CLIMBS);

    const applied = await say('apply', { proposal: id, reason: 'its numbers' });
    expect(applied).toMatchObject({
      status: 200,
      body: { active_changes: [{ proposal: id, share: 'all' }] },
    });
    const test = applied.body.proposals.find((each) => each.id === id)?.test;
    expect(test).toMatchObject({ by: 'replay', passed: true, excluded: 0 });
    expect(test?.tasks).toBeGreaterThanOrEqual(22);
    expect(test?.cost_usd?.high).toBeLessThan(0);

    expect(await tiersOf('routed')).toEqual(['sonnet passed']);
    const [first] = await stack.attempts('routed');
    expect(first?.route).toMatchObject({ tier_choice: { strategy: 'proposal' } });
    expect(first?.route?.reason).toContain(`by proposal ${id}`);

    const reverted = await say('revert', { proposal: id, reason: 'to see it go back' });
    expect(reverted.body.active_changes).toEqual(before.active_changes);
    expect(await tiersOf('after')).toEqual(CLIMBS);
    const chains = await stack.records<AttemptChainRow>('cascade_chains');
    expect(chains.find(({ task_id }) => task_id === 'routed')?.attempts).toMatchObject([
      { tier: 'sonnet', chosen_by: 'proposal' },
    ]);
    expect((await say('revert', { proposal: id, reason: 'twice' })).status).toBe(409);
  });

  it('tries the prompt on half of the tasks, tells all when it is shown to help, and none when it is taken back', async () => {
    const before = await state();
    const id = proposalOf(before, 'prompt')?.id ?? '';
    expect(await say('apply', { proposal: id, reason: 'to see' })).toMatchObject({
      status: 200,
      body: { active_changes: [{ proposal: id, share: 'half' }] },
    });
    const ids = Array.from({ length: 200 }, (_, n) => `trial-${n}`);
    const [told, not] = [true, false].map((side) =>
      ids.filter((each) => isInTrialGroup(id, each) === side).slice(0, 20),
    ) as [string[], string[]];
    await done([...told.slice(0, 19), ...not]);
    expect(await say('apply', { proposal: id, reason: 'now' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('19 tasks with it, 20 without') },
    });
    await done(told.slice(19));
    expect((await stack.attempts(told[0] ?? '')).map(({ tier }) => tier)).toEqual(['haiku']);
    expect((await stack.attempts(not[0] ?? '')).map(({ tier }) => tier)).toEqual(['haiku', 'sonnet']);

    const applied = await say('apply', { proposal: id, reason: 'it has helped' });
    expect(applied).toMatchObject({
      status: 200,
      body: { active_changes: [{ proposal: id, share: 'all' }] },
    });
    expect(applied.body.proposals.find((each) => each.id === id)?.test).toMatchObject({
      by: 'trial',
      passed: true,
      tasks: 40,
      pass_rate: { mean: 1, low: 1, high: 1 },
    });
    const [first, second] = ids.filter((each) => !isInTrialGroup(id, each)).slice(-2);
    expect(await tiersOf(first ?? '')).toEqual(['haiku passed']);
    expect((await say('revert', { proposal: id, reason: 'to see it go back' })).body.active_changes).toEqual(
      before.active_changes,
    );
    expect(await tiersOf(second ?? '')).toEqual(CLIMBS);
    const { history } = await state();
    expect(history.filter(({ proposal }) => proposal === id).map(({ action }) => action)).toEqual([
      'revert',
      'apply',
      'try',
      'propose',
    ]);
  }, 600_000);
});
