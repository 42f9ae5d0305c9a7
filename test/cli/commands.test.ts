import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import {
  aChain,
  anAttempt,
  aStatus,
  assay,
  aTask,
  BASE,
  type FakeApi,
  fakeApi,
  type Handler,
  problem,
  type RunOptions,
  TREE,
} from './support.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());

async function on(handler: Handler, argv: readonly string[], options: RunOptions = {}) {
  api = await fakeApi(handler);
  return assay(argv, { ...options, env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'secret', ...options.env } });
}

const summary = (changes: object) => ({ ...aTask(), created_at: new Date().toISOString(), ...changes });

describe('tasks', () => {
  const page = [
    summary({ id: 't-1', title: 'Fix the door' }),
    summary({ id: 't-2', status: 'done', flagged_unverified: true, verified: false, title: 'Paint' }),
    summary({ id: 't-3', status: 'failed', failure: { code: 'gave_up', message: 'the tests fail' } }),
  ];

  test('are a table that says what is noteworthy', async () => {
    const ran = await on(() => [200, { tasks: page, next_cursor: null }], ['tasks']);
    const lines = ran.stdout.split('\n');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(lines[0]).toMatch(/^ID +STATUS +ROLE +PRIO +AGE +TITLE +NOTE$/);
    expect(lines[2]).toMatch(/^t-2 +done +backend +2 .* Paint +unverified$/);
    expect(lines[3]).toMatch(/^t-3 +failed .* the tests fail$/);
  });

  test('with --json are the listing of the API', async () => {
    const ran = await on(() => [200, { tasks: page, next_cursor: 'c' }], ['tasks', '--json', '--limit', '3']);
    expect(ran.stderr).toBe('');
    const listing = JSON.parse(ran.stdout);
    expect(Object.keys(listing)).toEqual(['tasks', 'next_cursor']);
    expect(listing.tasks[0]).toMatchObject({ id: 't-1', status: 'open', verified: null });
    expect(listing.next_cursor).toBe('c');
  });

  test('are asked for with the filters given, and read over all pages up to the limit', async () => {
    const ran = await on(
      (_, nth) => [200, { tasks: page, next_cursor: nth < 3 ? `c${nth}` : null }],
      ['tasks', '--status', 'failed', '--role', 'qa', '--no-unverified', '--limit', '250', '--json'],
    );
    expect(JSON.parse(ran.stdout).tasks).toHaveLength(9);
    expect(api?.seen.map((each) => each.url)).toEqual([
      '/tasks?status=failed&role=qa&unverified=false&limit=200',
      '/tasks?status=failed&role=qa&unverified=false&limit=200&cursor=c1',
      '/tasks?status=failed&role=qa&unverified=false&limit=200&cursor=c2',
    ]);
  });

  test('without a filter on verification, none is sent', async () => {
    await on(() => [200, { tasks: [], next_cursor: null }], ['tasks']);
    expect(api?.seen[0]?.url).toBe('/tasks?limit=50');
  });

  test('none is said on standard error, so that standard output stays data', async () => {
    const ran = await on(() => [200, { tasks: [], next_cursor: null }], ['tasks']);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toContain('No tasks.');
  });

  test('have colours on a terminal and none with NO_COLOR', async () => {
    const answer: Handler = () => [200, { tasks: page, next_cursor: null }];
    expect((await on(answer, ['tasks'], { terminal: 120 })).stdout).toContain('\u001b[31mfailed\u001b[39m');
    await api?.close();
    const ran = await on(answer, ['tasks'], { terminal: 120, env: { NO_COLOR: '1' } });
    expect(ran.stdout).not.toContain('\u001b');
  });

  test('lose what matters least on a narrow terminal, and become blocks on a tiny one', async () => {
    const answer: Handler = () => [200, { tasks: page.slice(0, 1), next_cursor: null }];
    const narrow = await on(answer, ['tasks'], { terminal: 30, env: { NO_COLOR: '1' } });
    expect(narrow.stdout).toBe('ID   STATUS  TITLE\nt-1  open    Fix the door\n');
    await api?.close();
    const tiny = await on(answer, ['tasks'], { terminal: 20, env: { NO_COLOR: '1' } });
    expect(tiny.stdout).toBe('ID:     t-1\nSTATUS: open\nTITLE:  Fix the door\n');
  });
});

describe('task', () => {
  const attempt = anAttempt({
    outcome: 'failed',
    verification: {
      key: 'k',
      tree: TREE,
      base_commit: BASE,
      signals: [
        {
          type: 'path_exists',
          subject: 'path_exists: src/a.ts',
          outcome: 'passed',
          kind: 'executed',
          detail: '',
        },
      ],
      gates: [
        {
          name: 'tests',
          kind: 'executed',
          outcome: 'failed',
          required: true,
          blocked: true,
          cached: false,
          duration_ms: 5,
          detail: 'exit code 1',
          finding_count: 2,
          facts: {},
        },
        {
          name: 'lint',
          kind: 'executed',
          outcome: 'could_not_run',
          required: false,
          blocked: false,
          cached: false,
          duration_ms: 5,
          detail: 'no such tool',
          finding_count: 0,
          facts: {},
        },
      ],
      files_with_findings: [],
      failed_checks: [],
      restored_file_count: 0,
      protected_files: [],
      duration_ms: 9,
      at: '2026-11-20T10:01:00.000Z',
    },
    verdict: {
      verdict: 'fail',
      verified: true,
      reasons: [
        {
          code: 'gate_failed',
          subject: 'tests',
          message: 'gate tests failed: exit code 1\n\n✖ adds\u001b[31m',
        },
      ],
      base_commit: BASE,
      tree: TREE,
      tests_run: true,
      quality_gates_run: true,
      completion_signals_checked: true,
    },
    decision: {
      action: 'escalate',
      reason: 'janitor verification failed',
      next_model: 'claude-sonnet-5-5',
      next_tier: 'sonnet',
      at: '2026-11-20T10:02:00.000Z',
    },
  });
  const task = aTask({
    status: 'done',
    verdict: 'pass',
    attempt_count: 2,
    delivery: {
      state: 'delivered',
      base_commit: BASE,
      tree: TREE,
      branch: 'assay/t-1',
      commit: 'd'.repeat(40),
      reason: null,
      at: '2026-11-20T10:03:00.000Z',
    },
  });
  const answers: Handler = ({ url }) => [
    200,
    url.endsWith('/attempts')
      ? aChain([attempt, anAttempt({ number: 2, tier: 'sonnet', cost_usd: null })])
      : task,
  ];

  test('shows evidence, verdict, reasons, decision, costs and delivery', async () => {
    const { stdout, code } = await on(answers, ['task', 't-1']);
    expect(code).toBe(0);
    for (const fact of [
      'Fix the door',
      'status        done',
      '#1 claude-haiku-4-5 · haiku · effort low · failed · cost $0.0123 · 1 m 30 s',
      'agent said did it',
      'passed       signal path_exists: src/a.ts',
      'failed       gate tests  exit code 1',
      'could_not_run gate lint  no such tool',
      `verdict fail on tree ${TREE.slice(0, 12)}`,
      '      - gate tests failed: exit code 1\n        ✖ adds\n',
      'then escalate to claude-sonnet-5-5: janitor verification failed',
      'cost unknown',
      'saved         $0.0400 compared with the top model alone (break-even pass rate 25%)',
      'delivery      delivered assay/t-1 at dddddddddddd',
    ])
      expect(stdout).toContain(fact);
  });

  test('with --json is the task and its chain', async () => {
    const document = JSON.parse((await on(answers, ['task', 't-1', '--json'])).stdout);
    expect(Object.keys(document)).toEqual([
      'task',
      'attempts',
      'total_cost_usd',
      'judging_cost_usd',
      'saved_vs_direct_opus_usd',
      'break_even_pass_rate',
    ]);
    expect(document.attempts[0].decision.next_tier).toBe('sonnet');
  });

  test('names the exit code and the last output of an agent that failed', async () => {
    const report = {
      status: 'failed' as const,
      summary: 'the agent exited with 1',
      failure_code: null,
      output_tail: 'starting\nENOENT config\n',
      retry_after_s: null,
      exit: { exit_code: 1 },
      at: '2026-11-20T10:01:00.000Z',
    };
    const failure = {
      class: null,
      code: 'agent_failed',
      retryable: false,
      matched_rule: 'exit_code 1',
      mode: 'error',
      rules_version: 1,
    } as const;
    const { stdout } = await on(
      ({ url }) => [200, url.endsWith('/attempts') ? aChain([anAttempt({ report, failure })]) : aTask()],
      ['task', 't-1'],
    );
    expect(stdout).toContain('agent exited with code 1; last output: ENOENT config');
    expect(stdout).toContain(
      '    last 2 lines of output (all: --print transcript)\n      starting\n      ENOENT config\n',
    );
    expect(stdout).toContain(
      'failure agent_failed; not retried on the same model; classified by: exit_code 1',
    );
  });

  test('that does not exist is exit code 5', async () => {
    const ran = await on(() => problem(404, 'not_found'), ['task', 'nope']);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('status', () => {
  test('counts by status and role', async () => {
    const { stdout } = await on(() => [200, aStatus()], ['status']);
    expect(stdout).toBe('3 tasks: 1 open, 2 done\n\nROLE     OPEN  DONE\nbackend     1     2\n');
  });

  test('gives the alert, and names the latest unverified tasks', async () => {
    const { stdout } = await on(
      () => [
        200,
        aStatus({
          total_completions: 3,
          unverified_count: 2,
          verified_count: 1,
          unverified_ratio: 0.667,
          threshold_exceeded: true,
          recent_unverified: ['t-9', 't-8'],
        }),
      ],
      ['status'],
    );
    expect(stdout).toContain('Verification ALERT: 2/3 tasks completed without verification (66%)');
    expect(stdout).toContain('Most recent: t-9, t-8');
  });

  test('with --json is the answer of the API', async () => {
    const answer = aStatus();
    const { stdout } = await on(() => [200, answer], ['status', '--json']);
    expect(JSON.parse(stdout)).toEqual(answer);
  });
});

describe('an operator can', () => {
  test('cancel, with a reason', async () => {
    const ran = await on(
      () => [200, aTask({ status: 'cancelled' })],
      ['cancel', 't-1', '--reason', 'by hand'],
    );
    expect(ran).toMatchObject({ code: 0, stdout: 't-1 is cancelled.\n' });
    expect(api?.seen[0]).toMatchObject({ url: '/tasks/t-1/cancel', body: { reason: 'by hand' } });
  });

  test('retry', async () => {
    const ran = await on(() => [200, aTask()], ['retry', 't-1', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ id: 't-1', status: 'open' });
    expect(api?.seen[0]).toMatchObject({ url: '/tasks/t-1/retry', body: {} });
  });

  test('review the tree of the last attempt', async () => {
    const ran = await on(
      ({ url }) => [200, url.endsWith('/attempts') ? aChain([anAttempt()]) : aTask({ status: 'in_review' })],
      ['review', 't-1', '--approve', '--reason', 'read it'],
    );
    expect(ran.code).toBe(0);
    expect(api?.seen[1]).toMatchObject({
      url: '/tasks/t-1/review',
      body: { decision: 'approve', reason: 'read it', tree: TREE },
    });
  });

  test('name the tree that they looked at', async () => {
    const tree = 'e'.repeat(40);
    await on(() => [200, aTask()], ['review', 't-1', '--reject', '--reason', 'no', '--tree', tree]);
    expect(api?.seen).toHaveLength(1);
    expect(api?.seen[0]?.body).toEqual({ decision: 'reject', reason: 'no', tree });
  });

  test('not review what no attempt has produced', async () => {
    const ran = await on(() => [200, aChain([])], ['review', 't-1', '--approve', '--reason', 'x']);
    expect(ran).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('submit', () => {
  const file = (text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-submit-'));
    onTestEnd.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'tasks.yaml'), text);
    return folder;
  };
  const onTestEnd: (() => void)[] = [];
  afterEach(() => {
    for (const end of onTestEnd.splice(0)) end();
  });
  const ONE = 'title: One\nrepository: https://example.com/x.git\n';

  test('sends one task by itself, with an idempotency key', async () => {
    const ran = await on(() => [201, aTask({ title: 'One' })], ['submit', 'tasks.yaml'], { cwd: file(ONE) });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^ID +STATUS +TITLE +NOTE\nt-1 +open +One\n$/);
    expect(api?.seen[0]).toMatchObject({
      url: '/tasks',
      body: { title: 'One', repository: 'https://example.com/x.git' },
    });
    expect(api?.seen[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('sends a list as one batch; --json has the same shape for one and for many', async () => {
    const tasks = [aTask(), aTask({ id: 't-2', status: 'blocked' })];
    const ran = await on(
      () => [201, { tasks, results: tasks.map(({ id }) => ({ id, outcome: 'created' })) }],
      ['submit', 'tasks.yaml', '--json', '--idempotency-key', 'k'],
      {
        cwd: file(
          `- {title: One, repository: 'https://example.com/x.git'}\n- {title: Two, repository: 'https://example.com/x.git'}\n`,
        ),
      },
    );
    expect(api?.seen[0]).toMatchObject({ url: '/tasks/batch', headers: { 'idempotency-key': 'k' } });
    expect(JSON.parse(ran.stdout).tasks.map((task: { id: string }) => task.id)).toEqual(['t-1', 't-2']);
  });

  test('says which tasks of a batch were refused, and how to go on', async () => {
    const results = [
      { id: 't-1', outcome: 'created' },
      { id: 't-2', outcome: 'refused', code: 'id_taken', detail: 'the id t-2 belongs to a different task' },
    ];
    const ran = await on(
      () => [207, { tasks: [aTask()], results }],
      ['submit', 'tasks.yaml', '--idempotency-key', 'k'],
      { cwd: file(`- {title: One, repository: 'https://example.com/x.git'}\n`) },
    );
    expect(ran).toMatchObject({ code: 4, stdout: '' });
    expect(ran.stderr).toContain('1 task of 2 submitted');
    expect(ran.stderr).toContain('t-2 the id t-2 belongs to a different task');
    expect(ran.stderr).toContain('--idempotency-key k');
  });

  test('sends nothing when the file has an error', async () => {
    const ran = await on(() => [201, aTask()], ['submit', 'tasks.yaml'], {
      cwd: file(`${ONE}scope: huge\n`),
    });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('tasks.yaml:3: scope');
    expect(api?.seen).toEqual([]);
  });

  test.each<[string, object, number]>([
    ['done', { status: 'done', ended_at: '2026-11-20T10:05:00.000Z', verdict: 'pass', verified: true }, 0],
    ['failed', { status: 'failed', failure: { code: 'gave_up', message: 'no' } }, 1],
    ['cancelled', { status: 'cancelled' }, 1],
    [
      'held',
      { status: 'in_review', hold: { reasons: ['lint could not run'], since: '2026-11-20T10:05:00.000Z' } },
      3,
    ],
    ['waiting for leave in mid-run', { status: 'auth_required' }, 3],
    [
      'blocked for good',
      {
        status: 'blocked',
        blocked_reason: { code: 'dependency_failed', task_id: 't-0', message: 't-0 has failed' },
      },
      1,
    ],
  ])('--wait on a task that ends %s exits accordingly', async (_, end, exit) => {
    const ran = await on(
      ({ method, url }, nth) =>
        url.endsWith('/attempts')
          ? [200, aChain([])]
          : method === 'POST'
            ? [201, aTask()]
            : [200, nth < 4 ? aTask() : aTask({ version: 2, ...end })],
      ['submit', 'tasks.yaml', '--wait'],
      { cwd: file(ONE) },
    );
    expect(ran.code).toBe(exit);
    expect(ran.stdout).toMatch(/^TASK +TITLE +STATUS/);
    expect(ran.stderr).toContain('t-1');
  });
});

describe('a task that waits for a task that needs review', () => {
  const held = { reasons: ['lint could not run'], since: '2026-11-20T10:05:00.000Z' };
  const waits = (code: 'files_locked' | 'dependency_pending', on: string) => ({
    status: code === 'files_locked' ? ('open' as const) : ('blocked' as const),
    waits_for: on,
    blocked_reason: { code, task_id: on, message: `src/a.ts is held by ${on}` },
  });
  const serve =
    (tasks: readonly TaskView[]): Handler =>
    ({ url }) => {
      const task = tasks.find(({ id }) => url.endsWith(`/tasks/${id}`));
      return task
        ? [200, task]
        : [404, { type: 'about:blank', title: 'Not found', status: 404, code: 'not_found', detail: 'none' }];
    };
  const chain = [
    aTask({ id: 'outside', status: 'in_review', hold: held }),
    aTask({ id: 't-1', ...waits('files_locked', 'outside') }),
    aTask({ id: 't-2', ...waits('dependency_pending', 't-1') }),
  ];

  test('ends the wait with exit code 3 and names the commands that decide', async () => {
    const ran = await on(serve(chain), ['watch', 't-1', 't-2']);
    expect(ran.code).toBe(3);
    expect(ran.stderr.split('\n')).toEqual([
      'outside needs review. Decide with:',
      '  assay review outside --approve --reason "..."',
      '  assay review outside --reject --reason "..."',
      '',
    ]);
  });

  test('ends the wait however long the chain of waiting tasks is', async () => {
    const links = Array.from({ length: 60 }, (_, n) =>
      aTask({ id: `link-${n}`, ...waits('dependency_pending', n === 0 ? 'outside' : `link-${n - 1}`) }),
    );
    const ran = await on(serve([...chain, ...links]), ['watch', 'link-59']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('assay review outside --approve');
  });

  test('ends it with exit code 1 when another of the tasks has failed', async () => {
    const failed = aTask({ id: 't-0', status: 'failed', failure: { code: 'gave_up', message: 'no' } });
    const ran = await on(serve([...chain, failed]), ['watch', 't-0', 't-1']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('assay review outside --approve');
  });

  test.each([
    ['the task that it waits for still runs', [aTask({ id: 'outside', status: 'in_progress' }), chain[1]]],
    ['it may not read the task that it waits for', [chain[1]]],
  ] as const)('goes on waiting where %s', async (_, tasks) => {
    const ran = await on(serve(tasks.filter((each) => each !== undefined)), [
      'watch',
      't-1',
      '--timeout',
      '0.3',
    ]);
    expect(ran.code).toBe(124);
  });

  test('names the commands for a plan and for an approval request', async () => {
    const plan = aTask({
      id: 'p-1',
      status: 'in_review',
      hold: held,
      plan: { max_tasks: 3, proposal: null },
    });
    const asks = aTask({ id: 'a-1', status: 'auth_required' });
    const ran = await on(serve([plan, asks]), ['watch', 'p-1', 'a-1']);
    expect(ran.code).toBe(3);
    for (const command of ['plans approve p-1', 'plans reject p-1', 'approve a-1', 'deny a-1'])
      expect(ran.stderr).toContain(`  assay ${command} --reason "..."\n`);
  });
});

describe('watch', () => {
  const states = [
    aTask(),
    aTask({ version: 2, status: 'in_progress', attempt_count: 1, model: 'claude-haiku-4-5' }),
    aTask({ version: 3, status: 'done', attempt_count: 1, verdict: 'pass', branch: 'assay/t-1' }),
  ];
  const advance: Handler = (_, nth) => [200, states[Math.min(nth, states.length) - 1]];

  test('prints a line for each change where there is no terminal', async () => {
    const ran = await on(advance, ['watch', 't-1']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout.split('\n')).toEqual([
      't-1  open',
      't-1  in_progress  attempt 1 · claude-haiku-4-5',
      't-1  done         attempt 1 · verdict pass',
      '',
    ]);
  });

  test('changes one line in place on a terminal', async () => {
    const ran = await on(advance, ['watch', 't-1'], { terminal: 80, env: { NO_COLOR: '1' } });
    expect(ran.stdout).toContain('\u001b[1A\r\u001b[2Kt-1  done');
  });

  test('with --json prints each change as one line of JSON', async () => {
    const ran = await on(advance, ['watch', 't-1', '--json']);
    const lines = ran.stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).status)).toEqual(['open', 'in_progress', 'done']);
  });

  test('gives up after the time limit with exit code 124', async () => {
    const ran = await on(() => [200, aTask()], ['watch', 't-1', '--timeout', '0.2']);
    expect(ran.code).toBe(124);
    expect(ran.stderr).toContain('did not end within 0.2 s.');
  });

  test('asks once for a task that is named twice', async () => {
    const ran = await on(() => [200, states[2]], ['watch', 't-1', 't-1']);
    expect(ran.code).toBe(0);
    expect(api?.seen).toHaveLength(1);
  });
});
