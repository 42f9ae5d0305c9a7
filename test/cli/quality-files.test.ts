import { afterEach, describe, expect, it } from 'vitest';
import { NO_FILE_CHANGE_OUTCOME_COUNTS } from '../../shared/control/file-health/file-change-outcomes.ts';
import { FileHealthQuery } from '../../shared/control/file-health/file-health-schemas.ts';
import {
  buildFileHealthHistory,
  buildFileHealthList,
  buildFileHealthReport,
  type HealthTrackedFile,
} from '../../shared/control/file-health/file-health-views.ts';
import { assay, type FakeApi, fakeApi } from './support.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const file = (path: string, outcomes: readonly ('accepted' | 'rejected')[]): HealthTrackedFile => ({
  repository: 'https://example.test/r.git',
  path,
  earlier: NO_FILE_CHANGE_OUTCOME_COUNTS,
  latest: outcomes.map((outcome, index) => ({
    id: `T${index}#1#file#0`,
    at: new Date(NOW.getTime() - (50 - index) * 3_600_000).toISOString(),
    outcome,
    findings: outcome === 'rejected' ? 10 : 0,
    flaky: 0,
  })),
});
const FILES = [
  file('src/a.ts', ['accepted']),
  file('src/b\u001b[31m.ts', ['accepted', 'rejected', 'rejected']),
];

let api: FakeApi;
afterEach(() => api.close());
const run = (...argv: string[]) =>
  assay(['quality', 'files', ...argv], { env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'token' } });

describe('assay quality files', () => {
  it('shows the worst first, with what is not known as such', async () => {
    api = await fakeApi(() => [200, buildFileHealthList(FILES, FileHealthQuery.parse({}), true, NOW)]);
    const { stdout, code } = await run('--at-most', '90', '--limit', '5', '--grade', 'F');
    expect(code).toBe(0);
    expect(api.seen[0]?.url).toBe('/quality/file-health?limit=5&min_score=90&grade=F');
    const lines = stdout.split('\n');
    expect(lines[1]).toMatch(/^src\/b.*\.ts +\d+ +F .* 2 of 3 +0 +low$/);
    expect(lines[2]).toMatch(/^src\/a\.ts +99 +A .* 0 of 1 +0$/);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/2 tracked, 1 flagged; mean [\d.]+ of 100\nThere are more files/);
  });

  it('shows what has happened to one', async () => {
    api = await fakeApi(() => [200, buildFileHealthHistory(FILES[1] as HealthTrackedFile, NOW)]);
    const { stdout } = await run('src/b.ts', '--repository', 'https://example.test/r.git');
    expect(api.seen[0]?.url).toContain('/quality/file-health/file?repository=');
    expect(stdout).toMatch(/rejected \d+ to \d+ flagged {2}T1\n/);
    expect(stdout).toMatch(/accepted 99 {2}T0\n/);
  });

  it('lists those that somebody should look at, and says when there are none', async () => {
    const flagged = FILES.map((each) => buildFileHealthReport(each, NOW)).filter((each) => each.flagged);
    api = await fakeApi((_request, nth) => [
      200,
      { files: nth === 1 ? flagged : [], count: 1, generated_at: NOW.toISOString() },
    ]);
    expect((await run('--flagged')).stdout).toContain('2 of 3');
    expect((await run('--flagged')).stdout).toBe('Nothing yet.\n');
    expect((await run('--at-most', '101')).code).toBe(2);
  });
});
