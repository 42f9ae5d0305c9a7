import { afterEach, describe, expect, it } from 'vitest';
import { describeTaskState, measureSmokeSteps } from '../../cli/smoke/smoke-steps.ts';
import { ROUTES, type RouteDefinition } from '../../shared/api/routes.ts';
import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import { OPERATOR_ROLES } from '../../shared/contract/access/rights.ts';
import { TaskSubmission } from '../../shared/contract/submission/schema.ts';
import { aChain, anAttempt, aStatus, assay, aTask, BASE, type FakeApi, fakeApi, TREE } from './support.ts';

const at = (seconds: number): string =>
  new Date(Date.parse('2026-11-20T10:00:00.000Z') + seconds * 1_000).toISOString();
const delivery = (state: 'delivered' | 'refused') => ({
  state,
  base_commit: BASE,
  tree: TREE,
  branch: 'assay/t-1',
  commit: null,
  reason: state === 'refused' ? 'the token may not push' : null,
  at: at(120),
});
const whole: AttemptView = anAttempt({
  started_at: at(2),
  report: {
    status: 'completed',
    summary: '',
    failure_code: null,
    output_tail: '',
    retry_after_s: null,
    at: at(50),
  },
  verification: {
    key: 'k',
    tree: TREE,
    base_commit: BASE,
    signals: [],
    gates: [],
    files_with_findings: [],
    failed_checks: [],
    restored_file_count: 0,
    protected_files: [],
    duration_ms: 1,
    at: at(90),
  },
  decision: { action: 'accept', reason: '', next_model: null, next_tier: null, at: at(91) },
});
const done = aTask({
  status: 'done',
  verified: true,
  created_at: at(0),
  ended_at: at(121),
  delivery: delivery('delivered'),
  branch: 'assay/t-1',
});

let api: FakeApi | undefined;
afterEach(async () => api?.close());
/** A deployment in which the task is at once what it is at the end. */
async function smoke(task: Partial<TaskView>, attempt: AttemptView, ...more: string[]) {
  api = await fakeApi(({ method, url }) => {
    if (url === '/status') return [200, aStatus()];
    if (method === 'POST') return [201, aTask()];
    if (url.endsWith('/attempts')) return [200, aChain([attempt])];
    return [200, { ...done, ...task, id: url.split('/').at(-1) }];
  });
  const ran = await assay(['smoke', ...more], { env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'assay_op_x' } });
  return { ...ran, seen: api.seen, sent: api.seen.find(({ method }) => method === 'POST')?.body };
}
/** The right that a request needs. */
const rightOf = ({ method, url }: { readonly method: string; readonly url: string }) => {
  const fits = ({ path }: RouteDefinition) =>
    new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(new URL(url, 'http://api').pathname);
  return Object.values<RouteDefinition>(ROUTES).find((each) => each.method === method && fits(each))?.right;
};

describe('the steps of a task', () => {
  it('each begin where the one before has ended', () => {
    expect(measureSmokeSteps(done, [whole]).map(({ step, ms }) => [step, ms])).toEqual([
      ['start', 2_000],
      ['agent', 48_000],
      ['gates', 40_000],
      ['verdict', 1_000],
      ['deliver', 29_000],
      ['settle', 1_000],
    ]);
  });

  it('that it has not come to, or that it did not need, have no time, and the next one begins before them', () => {
    const stuck = { ...whole, verification: null, decision: null };
    const open = { ...done, status: 'in_review' as const, ended_at: null, delivery: null };
    expect(measureSmokeSteps(open, [stuck]).map(({ ms }) => ms)).toEqual([
      2_000,
      48_000,
      null,
      null,
      null,
      null,
    ]);
    expect(measureSmokeSteps({ ...done, delivery: null }, [whole]).map(({ ms }) => ms)).toEqual([
      2_000,
      48_000,
      40_000,
      1_000,
      null,
      30_000,
    ]);
    expect(measureSmokeSteps(aTask(), []).every(({ ms }) => ms === null)).toBe(true);
  });

  it('are said with why it stands where it stands', () => {
    const failure = { code: 'container_lost', message: 'the image cannot be pulled' } as TaskView['failure'];
    expect(describeTaskState({ ...done, status: 'failed', failure })).toBe(
      'failed: the image cannot be pulled',
    );
    expect(describeTaskState({ ...done, status: 'done', delivery: delivery('refused') })).toBe(
      'done: the token may not push',
    );
  });
});

describe('assay smoke', () => {
  it('sends a task that the API takes, and is well when the work is verified and delivered', async () => {
    const { code, stdout, sent } = await smoke({}, whole);
    expect(code).toBe(0);
    expect(TaskSubmission.parse(sent)).toMatchObject({
      base_ref: 'next',
      repository: expect.stringMatching(/^file:/),
    });
    expect(stdout).toMatch(/STEP\s+SECONDS\s+WHAT/);
    expect(stdout).toMatch(/agent\s+48\.00/);
    expect(stdout).toMatch(/^ok: smoke-\w+ is verified and delivered to assay\/t-1$/m);
  });

  it('has an agent do the task with a model where one is named, within fifty cents', async () => {
    const { code, sent } = await smoke({}, whole, '--agent', 'claude');
    expect(code).toBe(0);
    const { id, description, adapter, budget } = TaskSubmission.parse(sent);
    expect(adapter).toMatchObject({ kind: 'claude' });
    expect(budget).toMatchObject({ max_attempts: 1, max_cost_usd: 0.5 });
    expect(description).toContain(`Its only line is: ${id}.`);
  });

  it('asks for nothing that a token of the role submit may not do', async () => {
    const { seen } = await smoke({}, whole);
    const rights = new Set(seen.map(rightOf));
    expect(rights).toEqual(new Set(OPERATOR_ROLES.submit));
  });

  it('says that a function delivers, and no box', async () => {
    const { stdout } = await smoke({}, whole);
    expect(stdout).toMatch(/deliver\s+29\.00\s+a function fetches the base and pushes/);
  });

  it.each([
    ['failed', { status: 'failed' }, 1],
    ['done without evidence', { verified: false }, 1],
    ['not delivered', { delivery: delivery('refused') }, 1],
    ['held for a person', { status: 'in_review', hold: { reasons: ['a rule'], since: at(91) } }, 3],
  ] as const)('is not well when the task is %s', async (_case, task, code) => {
    const ran = await smoke(task as Partial<TaskView>, whole, '--json');
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, steps: expect.any(Array) });
  });

  it('says where the task stands when the time is over', async () => {
    const open = { status: 'in_progress', ended_at: null, delivery: null, progress: 'turn 3' } as const;
    const ran = await smoke(
      open,
      { ...whole, report: null, verification: null, decision: null },
      '--timeout',
      '0.5',
    );
    expect(ran.code).toBe(124);
    expect(ran.stdout).toMatch(/^not ok: smoke-\w+ is in_progress: turn 3$/m);
    expect(ran.stdout).toMatch(/agent\s+-/);
  });

  it('works on a repository that was named, and wants one where the boxes cannot read this machine', async () => {
    const named = ['--repository', 'https://forge.test/sandbox.git', '--base', 'trunk'];
    expect((await smoke({}, whole, ...named)).sent).toMatchObject({
      repository: 'https://forge.test/sandbox.git',
      base_ref: 'trunk',
    });
    const far = await assay(['smoke', '--url', 'https://api.test', '--token', 'assay_op_x']);
    expect([far.code, far.stderr]).toEqual([2, expect.stringContaining('--repository')]);
  });
});
