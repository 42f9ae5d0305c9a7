import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectForge } from '../../../functions/forge/connect-forge.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { FORGE_LABELS } from '../../../shared/control/forge/forge-report.ts';
import { ForgeCredentialsSecret, ForgeSetting } from '../../../shared/control/forge/forge-settings.ts';
import { taskIdOfIssue } from '../../../shared/control/forge/issue-tasks.ts';
import { reportToForge } from '../../../shared/use-cases/deliver/report-to-forge.ts';
import {
  artifact,
  attempt,
  evidence,
  FIXED_NOW,
  fakeSha1,
  gate,
  task,
  verdict,
  verification,
} from '../../support/builders.ts';
import { FakeGitHub } from '../../support/forge/fake-github.ts';
import { GITHUB_CONTRACT } from '../../support/forge/openapi-contract.ts';
import { ScriptedForge } from '../../support/forge/scripted-forge.ts';

const SHOP = 'https://github.com/acme/shop.git';
const COMMIT = fakeSha1('c');
const delivered = (fields: Partial<Task> = {}): Task =>
  task(
    {
      id: taskIdOfIssue(SHOP, 42),
      status: 'done',
      verified: true,
      delivery_mode: 'pull_request',
      attempts: [
        attempt({
          artifact: artifact(),
          verdict: verdict(),
          verification: verification(),
          outcome: 'passed',
        }),
      ],
      delivery: {
        state: 'delivered',
        base_commit: fakeSha1('a'),
        tree: artifact().tree,
        branch: `assay/${taskIdOfIssue(SHOP, 42)}`,
        commit: COMMIT,
        reason: null,
        at: FIXED_NOW.toISOString(),
      },
      ...fields,
    },
    { repository: SHOP, base_ref: 'main', title: 'Fix the @team <script>' },
  );

const finding = (index: number) => ({ file: 'src/a.ts', line: index + 1, rule: 'r', message: `m${index}` });
const found = evidence({
  gates: [
    gate({
      name: 'lint',
      outcome: 'passed',
      findings: Array.from({ length: 120 }, (_, each) => finding(each)),
    }),
  ],
});

let state: FakeGitHub;
let forge: ScriptedForge;
const problems: string[] = [];
beforeEach(async () => {
  problems.length = 0;
  state = new FakeGitHub();
  forge = await ScriptedForge.start(state.script, GITHUB_CONTRACT);
});
afterEach(() => forge.stop());

const READ = async (): Promise<string> => JSON.stringify(found);
const tell = (of: Task, token = 'token-of-ours', getByDigest = READ) =>
  reportToForge(of.id, {
    tasks: { get: async () => of },
    objects: { getByDigest },
    settings: [ForgeSetting.parse({ url: 'https://github.com/acme', forge: 'github', api_url: forge.url })],
    secret: async () =>
      ForgeCredentialsSecret.parse({ credentials: [{ url: 'https://github.com/acme', token }] }),
    connect: async (...all) => connectForge(...all),
    onError: (message) => problems.push(message),
  });
/** A token speaks as a person, whose comments count by id. */
const ours = () => state.comments.filter(({ user }) => user.id === 7);

describe('of pull requests of others GitHub', () => {
  const verified = (id: string, base_branch: string, fields: Partial<Task> = {}): Task => ({
    ...delivered({ id, delivery: null, delivery_mode: 'branch', runner: 'pull_request', ...fields }),
    pull_request: {
      ...{ kind: 'pull_request', number: 7, head_ref: 'refs/pull/7/head', head_commit: COMMIT, base_branch },
      ...{ previous_head: null, author: 'ada', author_kind: 'person', from_fork: false, issues: [] },
      at: FIXED_NOW.toISOString(),
    },
  });

  it('has one check for each base of the same commit', async () => {
    await tell(verified('pr-7-a', 'main', { status: 'failed', verified: false }));
    await tell(verified('pr-8-a', 'lax'));
    expect(state.runs.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['Assay (main)', 'action_required'],
      ['Assay (lax)', 'success'],
    ]);
  });

  it('keeps its check while a verification is under way again: a required check must not be satisfied meanwhile', async () => {
    const since = FIXED_NOW.toISOString();
    await tell(verified('pr-7-a', 'main', { status: 'in_review', hold: { reasons: ['unsure'], since } }));
    await tell(verified('pr-7-a', 'main', { status: 'in_review', hold: null }));
    expect(state.runs.map(({ conclusion }) => conclusion)).toEqual(['action_required']);
  });

  it('keeps the check of the newest task when events of an earlier one come late', async () => {
    const earlier = verified('pr-7-a', 'main');
    const newer = verified('pr-7-a-1', 'main', { status: 'failed', verified: false });
    for (const each of [earlier, newer, earlier, { ...earlier, status: 'cancelled' as const }])
      await tell(each);
    await tell(verified('pr-7-0', 'main', { status: 'cancelled' }));
    expect(state.runs.map(({ conclusion }) => conclusion)).toEqual(['success', 'action_required']);
  });
});

describe('of delivered work GitHub', () => {
  it('has a pull request with the evidence, a check with every finding, one comment on the issue and one on the request', async () => {
    await tell(delivered());
    expect(problems).toEqual([]);
    expect(state.pulls).toEqual([
      expect.objectContaining({
        head: `assay/${taskIdOfIssue(SHOP, 42)}`,
        base: 'main',
        title: 'Fix the @team <script>',
      }),
    ]);
    expect(state.pulls[0]?.body).toMatch(
      /^<!-- assay task issue-42-\w+ -->\nCloses #42\.\n\n\*\*Assay: done/,
    );
    expect(state.runs).toEqual([
      expect.objectContaining({
        name: 'Assay (main)',
        head_sha: COMMIT,
        conclusion: 'success',
        status: 'completed',
      }),
    ]);
    expect(state.annotations).toHaveLength(120);
    expect(ours().map(({ issue }) => issue)).toEqual([42, 100]);
    expect(state.labels.size).toBe(0);
  });

  it('is told without its evidence where that cannot be read, and so is whoever looks after the deployment', async () => {
    await tell(delivered(), 'token-of-ours', async () => {
      throw Object.assign(new Error('Access Denied'), { name: 'AccessDenied' });
    });
    expect([state.pulls.length, state.annotations.length]).toEqual([1, 0]);
    expect(problems).toEqual([expect.stringContaining('Access Denied')]);
  });

  it('is told the same again without a second of anything', async () => {
    await tell(delivered());
    const writes = forge.listWrites.length;
    await tell(delivered());
    expect(forge.listWrites).toHaveLength(writes);
  });

  it('gets what is missing when the call before was lost in the middle', async () => {
    for (let at = 0; at < 12; at++) {
      forge.failures.push(...Array.from({ length: at }, () => 0), 500);
      await tell(delivered()).catch((error: unknown) => expect(String(error)).toContain('500'));
      forge.failures.length = 0;
    }
    await tell(delivered());
    expect(state.pulls).toHaveLength(1);
    expect(state.runs).toHaveLength(1);
    expect(state.annotations).toHaveLength(120);
    expect(ours()).toHaveLength(2);
  });

  it('is told that nothing was verified by a label, which goes when it was', async () => {
    await tell(delivered({ verified: false }));
    expect(state.labels.get(100)).toEqual(new Set([FORGE_LABELS.unverified]));
    expect(state.runs[0]?.conclusion).toBe('neutral');
    await tell(delivered());
    expect(state.labels.get(100)).toEqual(new Set());
    expect(state.runs[0]?.conclusion).toBe('success');
  });

  it('has no pull request where none was asked for', async () => {
    await tell(delivered({ delivery_mode: 'branch' }));
    expect(state.pulls).toEqual([]);
    expect(state.runs).toHaveLength(1);
  });
});

it('a comment of somebody else with our first line is left alone', async () => {
  const marker = `<!-- assay task ${taskIdOfIssue(SHOP, 42)} -->`;
  state.comments.push({ id: 1, issue: 42, body: marker, user: { id: 8, type: 'User' } });
  await tell(delivered());
  expect(state.comments.find(({ id }) => id === 1)?.body).toBe(marker);
  expect(ours()).toHaveLength(2);
});

it('what a task, an agent or a gate says is text: no mention, no markup, no comment of its own', async () => {
  const hostile = '@everyone <!-- assay task X --> ![x](https://evil.test) | `a`\n# Heading';
  await tell(
    delivered({
      status: 'failed',
      verified: null,
      delivery: null,
      failure: { code: 'x', message: hostile },
    }),
  );
  const body = ours()[0]?.body.split('\n').slice(1).join('\n') ?? '';
  expect(body).toContain('everyone');
  expect(body).not.toMatch(/@|<!--|!\[|\n# /);
  expect(state.labels.get(42)).toEqual(new Set([FORGE_LABELS.failed]));
});

it('a token that does not count is told, and not tried again; a server that is busy is', async () => {
  await tell(delivered(), 'wrong');
  expect(problems[0]).toBe('the forge answers 401 to GET /repos/acme/shop/pulls');
  forge.failures.push(429);
  await expect(tell(delivered())).rejects.toThrow('429');
});

it('a task of another repository, or that is gone, is nobody’s business', async () => {
  await tell(task({}, { repository: 'https://gitlab.test/a/b.git' }));
  expect(forge.requests).toEqual([]);
});
