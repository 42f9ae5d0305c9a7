import { afterEach, describe, expect, it } from 'vitest';
import { aStatus, assay, type FakeApi, fakeApi } from './support.ts';

const nudge = (more: object = {}) => ({
  ...aStatus({ total_completions: 4, verified_count: 1, unverified_count: 3, unverified_ratio: 0.75 })
    .verification_nudge,
  threshold_exceeded: true,
  window: { completions: 100, days: 7, oldest: '2026-11-19T10:00:00.000Z', reset: null },
  all_time: { verified: 40, unverified: 9 },
  ...more,
});
const at = (hour: number): string => `2026-11-20T0${hour}:00:00.000Z`;
const ANSWER = {
  verification_nudge: nudge(),
  completions: [
    { task_id: 't-3', at: at(3), verified: false },
    { task_id: 't-2', at: at(2), verified: true },
  ],
  generated_at: at(4),
};

let api: FakeApi | null = null;
afterEach(async () => {
  await api?.close();
  api = null;
});
const run = (...argv: string[]) => assay(argv, { env: { ASSAY_URL: api?.url ?? '', ASSAY_TOKEN: 'token' } });

describe('assay verification', () => {
  it('says what the alert is made of', async () => {
    api = await fakeApi(() => [200, ANSWER]);
    const { stdout, code } = await run('verification');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Verification ALERT: 3/4 tasks completed without verification (75%), of the latest 100 in 7 days',
        'alarm above 0.3, with at least 3 completions',
        'window: the latest 100, none older than 7 days; the oldest is of 2026-11-19T10:00:00.000Z',
        'ever: 40 verified, 9 unverified',
        '',
        'Unverified, newest first',
        '2026-11-20T03:00:00.000Z  t-3',
        '',
      ].join('\n'),
    );
  });

  it('begins anew with a reason, and says so later', async () => {
    const word = { at: at(4), by: 'ann', reason: 'release 4' };
    api = await fakeApi(({ method }) =>
      method === 'POST'
        ? [200, word]
        : [200, { ...ANSWER, verification_nudge: nudge({ window: { ...nudge().window, reset: word } }) }],
    );
    expect((await run('verification', 'reset')).code).toBe(2);
    const reset = await run('verification', 'reset', '--reason', 'release 4');
    expect([reset.code, reset.stdout]).toEqual([
      0,
      `Only completions after ${at(4)} count from now on. No record was removed.\n`,
    ]);
    expect(api?.seen.at(-1)).toMatchObject({ url: '/verification/reset', body: { reason: 'release 4' } });
    expect((await run('verification')).stdout).toContain(`reset ${at(4)} by ann: release 4`);
  });
});

describe('assay up', () => {
  it.each([
    ['--nudge-threshold', '30', '<=1'],
    ['--nudge-threshold', '', 'number'],
    ['--nudge-min-completions', '0', '>=1'],
    ['--nudge-window', '0.5', 'int'],
    ['--nudge-window-days', '91', '<=90'],
    ['--otlp', 'http://collector.example/v1/traces', 'https'],
    ['--otlp', 'https://me:secret@collector.example/', 'password'],
    ['--otlp', 'nowhere', 'address'],
  ])('refuses %s %s before anything is started', async (flag, value, why) => {
    const { code, stdout, stderr } = await assay(['up', flag, value], { cwd: '/nonexistent' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(flag);
    expect(stderr).toContain(why);
  });
});
