import { afterEach, expect, test } from 'vitest';
import { assay, type FakeApi, fakeApi, type Handler } from './support.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());
async function on(handler: Handler, argv: readonly string[]) {
  api = await fakeApi(handler);
  return assay(argv, { env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'secret' } });
}

const VIEW = {
  policy: {
    policy: 'thompson',
    epsilon: 0.1,
    min_observations: 5,
    quality_threshold: 0.8,
    tuning_level: 'L0',
  },
  beliefs: [
    {
      role: 'backend',
      complexity: 'low',
      tier: 'haiku',
      model: 'claude-haiku-4-5',
      basis: 'complexity',
      observations: 12,
      passes: 9,
      pass_rate: 0.75,
      pass_rate_90: { low: 0.52, high: 0.89 },
      cost_usd: 0.1,
      cost_usd_90: { low: 0.05, high: 0.2 },
      costs_known: 12,
      mean_seconds: 40,
      break_even_pass_rate: 0.5,
      pinned: false,
    },
    {
      role: 'backend',
      complexity: 'low',
      tier: 'opus',
      model: 'a-model',
      basis: 'nothing',
      observations: 0,
      passes: 0,
      pass_rate: null,
      pass_rate_90: { low: 0, high: 1 },
      cost_usd: null,
      cost_usd_90: null,
      costs_known: 0,
      mean_seconds: null,
      break_even_pass_rate: null,
      pinned: true,
    },
  ],
  history: [
    {
      role: 'backend',
      action: 'pin',
      complexity: 'low',
      tier: 'opus',
      by: 'ann',
      reason: 'a try',
      at: '2026-11-20T10:00:00.000Z',
    },
  ],
};

test('cascade show prints what is believed, from how many, and what people said; unknown is not 0', async () => {
  const ran = await on(() => [200, VIEW], ['cascade', 'show']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(
    /backend +low +haiku +claude-haiku-4-5 +12 +0\.75 +0\.52 to 0\.89 +\$0\.1000 +0\.50/,
  );
  expect(ran.stdout).toMatch(/opus +a-model +0 +- +0\.00 to 1\.00 +unknown +- +pinned/);
  expect(ran.stdout).toContain('pin backend low opus by ann: a try');
  const json = await on(() => [200, VIEW], ['cascade', 'show', 'backend', '--json']);
  expect(JSON.parse(json.stdout)).toEqual(VIEW);
  expect(api?.seen[0]?.url).toBe('/cascade?role=backend');
});

test('cascade show stays a table on 80 columns, with a pin and with what the whole role has taught', async () => {
  const beliefs = VIEW.beliefs.map((each) => ({ ...each, basis: 'role', pinned: true }));
  api = await fakeApi(() => [200, { ...VIEW, beliefs }]);
  const { stdout } = await assay(['cascade', 'show'], {
    env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'secret', NO_COLOR: '1' },
    terminal: 80,
    page: async () => false,
  });
  expect(stdout).toMatch(/^backend +low +haiku +12\* +0\.75 +0\.52 to 0\.89 +\$0\.1000 +0\.50 +pinned$/m);
  expect(stdout).toContain(
    '* estimated from all complexities of the role: this one has too few observations',
  );
});

test('cascade show says when there is nothing yet', async () => {
  const ran = await on(() => [200, { ...VIEW, beliefs: [], history: [] }], ['cascade', 'show']);
  expect(ran.stdout).toContain('Nothing is learned yet');
});

test('cascade pin and reset send a word with its reason', async () => {
  await on(
    () => [200, VIEW],
    ['cascade', 'pin', 'backend', 'opus', '--complexity', 'low', '--reason', 'a try'],
  );
  expect(api?.seen[0]).toMatchObject({
    method: 'POST',
    url: '/cascade/backend/pin',
    body: { tier: 'opus', complexity: 'low', reason: 'a try' },
  });
  await on(() => [200, VIEW], ['cascade', 'pin', 'backend', 'none', '--reason', 'no more']);
  expect(api?.seen[0]?.body).toEqual({ tier: null, complexity: 'any', reason: 'no more' });
  await on(() => [200, VIEW], ['cascade', 'reset', 'backend', '--tier', 'haiku', '--reason', 'anew']);
  expect(api?.seen[0]).toMatchObject({
    url: '/cascade/backend/reset',
    body: { tier: 'haiku', reason: 'anew' },
  });
});

test.each([
  [['cascade', 'pin', 'backend', 'gold', '--reason', 'x'], 'Allowed choices are haiku, sonnet, opus'],
  [['cascade', 'pin', 'backend', 'opus'], '--reason'],
  [
    ['cascade', 'pin', 'backend', 'opus', '--reason', 'x', '--complexity', 'huge'],
    'Allowed choices are low, medium, high, any',
  ],
  [
    ['cascade', 'reset', 'backend', '--tier', 'gold', '--reason', 'x'],
    'Allowed choices are haiku, sonnet, opus',
  ],
])('%j is refused before anything is asked', async (argv, words) => {
  const ran = await on(() => [200, VIEW], argv);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(words);
  expect(api?.seen).toEqual([]);
});
