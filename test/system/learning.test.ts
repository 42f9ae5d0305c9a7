import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CascadeView } from '../../shared/api/cascade-schemas.ts';
import type { TuningView } from '../../shared/api/tuning-schemas.ts';
import type { AttemptChainRow } from '../../shared/control/ledger/record-rows.ts';
import { isInTrialGroup } from '../../shared/control/tune/active-changes.ts';
import { agent, PROJECT, Repository, RIGHT, WRONG, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;

beforeAll(async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start({
    ASSAY_CASCADE_POLICY: JSON.stringify({
      policy: 'greedy',
      epsilon: 0,
      min_observations: 1,
      tuning_level: 'L1',
    }),
  });
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
});

/** The cheapest tier breaks it, the others do it. */
const DOES = agent(
  `if (model.includes('haiku')) { ${writes('src/sum.js', WRONG)} } else { ${writes('src/sum.js', RIGHT)} }`,
);
const ended = async (id: string, fields: Record<string, unknown> = {}) => {
  await stack.submit({
    id,
    title: 'Mend sum',
    repository: repository.url,
    complexity: 'low',
    completion_signals: [{ type: 'test_passes', command: 'node --test' }],
    adapter: DOES,
    ...fields,
  });
  await stack.ended(id);
  await stack.control('POST', '/drain');
  return stack.attempts(id);
};

describe('a deployment that learns', () => {
  it('begins where the work of a role has passed, says why, and does as a person says until that is lifted', async () => {
    const first = await ended('first');
    expect(first.map(({ tier, outcome }) => [tier, outcome])).toEqual([
      ['haiku', 'failed'],
      ['sonnet', 'passed'],
    ]);

    const second = await ended('second');
    expect(second.map(({ tier, outcome }) => [tier, outcome])).toEqual([['sonnet', 'passed']]);
    expect(second[0]?.route?.reason).toContain('haiku skipped: 0 of 1 passed');
    expect(second[0]?.route?.tier_choice).toMatchObject({ strategy: 'greedy', explored: false });

    const { body: known } = await stack.call<CascadeView>('GET', '/cascade');
    expect(
      known.beliefs.map(({ tier, complexity, observations, passes }) => [
        complexity,
        tier,
        observations,
        passes,
      ]),
    ).toEqual([
      ['low', 'haiku', 1, 0],
      ['low', 'sonnet', 2, 2],
      ['low', 'opus', 0, 0],
    ]);

    const word = { tier: 'opus', complexity: 'any', reason: 'to see what it makes of it' };
    const pinned = await stack.call<CascadeView>('POST', '/cascade/backend/pin', word);
    expect(pinned).toMatchObject({ status: 200, body: { history: [{ action: 'pin', tier: 'opus' }] } });
    const third = await ended('third');
    expect(third[0]).toMatchObject({ tier: 'opus', route: { tier_choice: { strategy: 'pin' } } });

    await stack.call('POST', '/cascade/backend/pin', { ...word, tier: null });
    await stack.call('POST', '/cascade/backend/reset', { reason: 'a better prompt' });
    const { body: anew } = await stack.call<CascadeView>('GET', '/cascade?role=backend');
    expect(anew.beliefs.every(({ observations }) => observations === 0)).toBe(true);
    expect(anew.history.map(({ action }) => action)).toEqual(['reset', 'unpin', 'pin']);

    const chains = await stack.records<AttemptChainRow>('cascade_chains');
    expect(chains.find(({ task_id }) => task_id === 'second')?.attempts).toMatchObject([
      { tier: 'sonnet', chosen_by: 'greedy', explored: false, passed: true },
    ]);
  });

  it('refuses words that say nothing, or of a tier that there is not, and changes nothing', async () => {
    for (const [path, body] of [
      ['/cascade/backend/pin', { tier: 'gold', reason: 'x' }],
      ['/cascade/backend/pin', { tier: 'opus' }],
      ['/cascade/backend/pin', { tier: 'opus', reason: ' ' }],
      ['/cascade/backend/reset', { reason: 'x', teir: 'opus' }],
      ['/cascade/Not%20a%20role/pin', { tier: 'opus', reason: 'x' }],
    ] as const)
      expect((await stack.call('POST', path, body)).status).toBe(422);
    const { body } = await stack.call<CascadeView>('GET', '/cascade?role=qa');
    expect(body).toMatchObject({ beliefs: [], history: [] });
    expect((await stack.call('GET', '/cascade?rule=qa')).status).toBe(422);
  });

  it('tells half of the tasks what is on trial, shows it with its trail, and takes it back', async () => {
    const setting = { kind: 'prompt', role: 'backend', text: 'Mind the plus sign.' };
    const say = (path: string, body: object) => stack.call<TuningView>('POST', `/tuning/${path}`, body);
    expect((await say('propose', { change: setting, reason: 'it is mistaken' })).status).toBe(200);
    const told = agent(
      `${writes('src/sum.js', RIGHT)} fs.writeFileSync('told.txt', String(fs.readFileSync(process.argv[2], 'utf8').includes('Mind the plus sign.')));`,
    );
    const ids = Array.from({ length: 50 }, (_, n) => `half-${n}`);
    const [given, not] = [true, false].map(
      (side) => ids.find((id) => isInTrialGroup('p1', id) === side) ?? '',
    );
    expect(await say('apply', { proposal: 'p1', reason: 'to see' })).toMatchObject({
      status: 200,
      body: {
        level: 'L1',
        active_changes: [{ setting_key: 'prompt backend', proposal: 'p1', share: 'half' }],
      },
    });
    for (const [id, expected] of [
      [given, 'true'],
      [not, 'false'],
    ] as const) {
      await ended(id ?? '', { adapter: { ...told, argv: [...told.argv, '{prompt_file}'] } });
      expect(repository.show(`assay/${id}`, 'told.txt')).toBe(expected);
    }
    expect(await say('apply', { proposal: 'p1', reason: 'now' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('20 of both are needed') },
    });
    const { body } = await say('revert', { proposal: 'p1', reason: 'enough' });
    expect(body).toMatchObject({ active_changes: [], proposals: [{ status: 'reverted' }] });
    expect(body.history.map(({ action }) => action)).toEqual(['revert', 'try', 'propose']);
    for (const [path, wrong] of [
      ['propose', { change: { kind: 'threshold', name: 'gold', value: 1 }, reason: 'x' }],
      ['propose', { change: { ...setting, rule: 1 }, reason: 'x' }],
      ['apply', { proposal: 'p0', reason: 'x' }],
      ['revert', { proposal: 'p1' }],
    ] as const)
      expect((await say(path, wrong)).status).toBe(422);
  });
});
