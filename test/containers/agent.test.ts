import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runAgent as work } from '../../containers/agent/run-agent.ts';
import { FailAttemptBody } from '../../shared/api/report-schemas.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { classifyAttemptFailure } from '../../shared/control/failures/attempt-failure.ts';
import { buildRetryContext } from '../../shared/control/task-commands/retry-context.ts';
import { attempt, report } from '../support/builders.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { commitUnusualPaths, UNUSUAL_PATHS } from '../support/unusual-tree.ts';
import { agentAssignment, inBox, startBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

const repository = createTestRepository({ 'a.txt': 'a\n', '.gitignore': 'ignored\n' });
const base = repository.git('rev-parse', 'HEAD');
let api: FakeApi;
let tmp: string;
beforeEach(async () => {
  api = await startFakeApi();
  tmp = createTemporaryFolder();
});
afterEach(() => api.stop());

/** The work of the box in this process; most of what it does needs no process of its own. */
const runAgent = async (argv: string | readonly string[], more: Partial<AgentAssignment> = {}) => {
  const command = typeof argv === 'string' ? ['bash', '-c', argv] : argv;
  vi.stubEnv('SECRET_OF_THE_HOST', 'secret');
  await inBox((box) =>
    work(agentAssignment(api, repository.url, command, { base_commit: base, ...more }), box),
  );
  return { complete: api.bodies('complete')[0], fail: api.bodies('fail')[0] };
};

const start = (
  script: string,
  more: Partial<AgentAssignment> = {},
  env: Readonly<Record<string, string>> = {},
) =>
  startBox(
    ['containers/agent/main.ts'],
    api,
    agentAssignment(api, repository.url, ['bash', '-c', script], { base_commit: base, ...more }),
    {
      TMPDIR: tmp,
      SECRET_OF_THE_HOST: 'secret',
      ...env,
    },
  );
describe('an agent', () => {
  test('gets its prompt as a file and as text, its model and its place, and nothing of the host', async () => {
    const argv = [
      'bash',
      '-c',
      'printf "%s\\n" "$@" > out; cat "$1" >> out; env >> out; pwd >> out',
      'x',
      '{prompt_file}',
      '{prompt}',
      '{model}/{effort}',
      '{task_id}#{attempt}',
      '{unknown}',
    ];
    const { complete } = await runAgent(argv, {
      prompt: { TASK_DESCRIPTION: 'Say "{model}" {{FILES}} $HOME\0\n' },
    });
    const patch = String(complete?.['patch']);
    for (const line of [
      '+Say "{model}" {{FILES}} $HOME',
      '+haiku/normal',
      '+T1#1',
      '+{unknown}',
      '+ASSAY_MODEL=haiku',
    ])
      expect(patch).toContain(`${line}\n`);
    expect(patch).toMatch(/^\+ASSAY_USAGE_FILE=\//m);
    expect(patch).not.toMatch(/secret|ASSAY_ASSIGNMENT_URL|assay_test_token/);
    const promptFile = /^\+(\/.*prompt\.md)$/m.exec(patch)?.[1] ?? '';
    const checkout = /^\+(\/.*checkout)$/m.exec(patch)?.[1] ?? '?';
    expect(promptFile.startsWith(checkout)).toBe(false);
  });

  test('hands in what it left in its files; ignored files and its own commits are no part of it', async () => {
    const { complete } = await runAgent(
      'echo b >> a.txt; echo x > ignored; echo n > new.txt; mkdir .git/hooks; git -c user.name=x -c user.email=x commit -qam wip; printf "#!/bin/sh\\nexit 1\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor "touch /tmp/assay-hacked"; echo all done',
    );
    expect(complete).toMatchObject({ base_commit: base, summary: 'all done' });
    expect(complete).not.toHaveProperty('transcript_sha256');
    expect(String(complete?.['patch']).match(/^diff --git .*$/gm)).toEqual([
      'diff --git a/a.txt b/a.txt',
      'diff --git a/new.txt b/new.txt',
    ]);
    expect(existsSync('/tmp/assay-hacked')).toBe(false);
  });

  test('may leave token counts and a summary, which are taken as its word', async () => {
    const { complete } = await runAgent(
      'echo \'{"usage":{"input_tokens":5,"output_tokens":7},"summary":"I did"}\' > $ASSAY_USAGE_FILE',
    );
    expect(complete).toMatchObject({ summary: 'I did', usage: { input_tokens: 5, output_tokens: 7 } });
  });

  test('that leaves nonsense there is not believed, and its work is not lost', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { complete } = await runAgent('ln -s /etc/passwd $ASSAY_USAGE_FILE; echo hm');
    expect(complete).toMatchObject({ summary: 'hm' });
    expect(complete).not.toHaveProperty('usage');
    expect(log).toHaveBeenCalledWith(expect.stringContaining('the usage file cannot be read'));
  });

  test('with a large patch and much to say has both uploaded', async () => {
    const { complete } = await runAgent('seq 100000 > big.txt; seq 5000; echo end');
    expect(complete).toMatchObject({ transcript_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(complete).not.toHaveProperty('patch');
    expect(api.objects.get('/objects/patch')?.length).toBe(complete?.['patch_bytes']);
    expect(api.objects.get('/objects/transcript')?.toString()).toMatch(/^1\n2\n[\s\S]*end\n$/);
    expect(String(complete?.['output_tail'])).toMatch(/^4952\n4953\n[\s\S]*end\n$/);
    // What the work is must not wait for what is nice to have.
    expect(api.bodies('upload').map(({ kind }) => kind)).toEqual(['patch', 'transcript']);
  });

  test('starts from the commit that it is told, wherever the branch stands by now', async () => {
    const moved = createTestRepository({ 'a.txt': '1\n' });
    const first = moved.git('rev-parse', 'HEAD');
    moved.commit({ 'a.txt': '2\n' });
    const { complete } = await runAgent('cat a.txt', { repository: moved.url, base_commit: first });
    expect(complete).toMatchObject({ base_commit: first, summary: '1' });
  });
});

describe('a failed agent', () => {
  test.each([
    ['echo broken; exit 1', 'agent_failed', 'the agent exited with 1'],
    ['kill -SEGV $$', 'agent_crashed', 'the agent was ended by SIGSEGV'],
    ['echo \'{"status":"blocked","summary":"no access"}\' > $ASSAY_USAGE_FILE', 'agent_blocked', 'no access'],
    [
      'echo \'{"status":"blocked"}\' > $ASSAY_USAGE_FILE; exit 3',
      'agent_blocked',
      'the agent says that it is blocked',
    ],
  ])('%s is %s', async (script, failure_code, reason) => {
    const { fail, complete } = await runAgent(script);
    expect(complete).toBeUndefined();
    expect(fail).toMatchObject({ failure_code, reason });
  });

  test.each([
    ['echo "HTTP 429 Too Many Requests"; exit 1', 'rate_limited', 'text "http 429"', { exit_code: 1 }],
    ['echo "Error: request timed out"; exit 3', 'timeout', 'text "timed out"', { exit_code: 3 }],
    ['echo "invalid API key"; exit 1', 'provider_auth', 'text "invalid api key"', { exit_code: 1 }],
    ['kill -KILL $$', 'unknown', 'signal SIGKILL', { signal: 'SIGKILL' }],
    ['exit 124', 'timeout', 'exit_code 124', { exit_code: 124 }],
  ])('reports how it ended and what it printed, so that %s is %s by %s', async (script, named, rule, end) => {
    const { fail } = await runAgent(script);
    const { reason, ...body } = FailAttemptBody.parse(fail);
    expect(body.exit).toEqual({ ...end, failure_text_source: 'output_tail' });
    const told = report({ ...body, status: 'failed', summary: reason });
    expect(classifyAttemptFailure(attempt({ report: told }))).toMatchObject({
      class: named,
      matched_rule: rule,
    });
  });

  test.each([
    [
      'a repository of its own',
      'git init -q sub && git -C sub -c user.name=x -c user.email=x commit -q --allow-empty -m x',
      'sub is a git repository of its own',
    ],
    ['a repository without a commit', 'git init -q sub', 'what was left cannot be taken'],
  ])('is one that leaves %s in its checkout, which it is told', async (_, script, reason) => {
    const { fail, complete } = await runAgent(script);
    expect(complete).toBeUndefined();
    expect(fail).toMatchObject({
      failure_code: 'work_not_deliverable',
      reason: expect.stringContaining(reason),
    });
    const { reason: summary, ...body } = FailAttemptBody.parse(fail);
    const told = attempt({ report: report({ ...body, status: 'failed', summary }) });
    expect(buildRetryContext([told])).toContain(reason);
    expect(classifyAttemptFailure(told)?.remedy).toBe('same_tier');
  });

  test('has all that it printed uploaded, and its last 50 lines with the report', async () => {
    const { fail } = await runAgent('seq 60; exit 3');
    const lines = Array.from({ length: 50 }, (_, at) => `${at + 11}\n`);
    expect(fail).toMatchObject({
      output_tail: lines.join(''),
      transcript_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(api.objects.get('/objects/transcript')?.toString()).toMatch(/^1\n2\n[\s\S]*60\n$/);
  });

  test('is one that takes too long', async () => {
    const { fail } = await runAgent('echo on it; sleep 60', {
      adapter: { kind: 'command', argv: ['bash', '-c', 'echo on it; sleep 60'], timeout_s: 1 },
    });
    expect(fail).toMatchObject({ failure_code: 'timeout', output_tail: 'on it\n' });
  });

  test.each<[string, Partial<AgentAssignment>, string]>([
    [
      'a program that is not there',
      { adapter: { kind: 'command', argv: ['/no/such/agent'], timeout_s: 5 } },
      'config_invalid',
    ],
    ['a base that is not there', { base_commit: 'b'.repeat(40) }, 'base_ref_missing'],
    [
      'a repository that is not there',
      { repository: 'file:///no/such/repository' },
      'repository_unavailable',
    ],
    [
      'a prompt too long for an argument',
      {
        prompt: { TASK_DESCRIPTION: 'x'.repeat(200_000) },
        adapter: { kind: 'command', argv: ['echo', '{prompt}'], timeout_s: 5 },
      },
      'config_invalid',
    ],
  ])('is told from %s', async (_, more, failure_code) => {
    const { fail } = await runAgent('true', more);
    expect(fail).toMatchObject({ failure_code });
  });
});

test.each([...UNUSUAL_PATHS, 'n'.repeat(300)])(
  'a base commit with the path %s is refused by its name',
  async (path) => {
    const unusual = createTestRepository({ 'a.txt': 'x\n' });
    const base_commit = commitUnusualPaths(unusual, [path]);
    const { fail } = await runAgent('true', { repository: unusual.url, base_commit });
    expect(fail).toMatchObject({
      failure_code: 'base_tree_invalid',
      reason: expect.stringContaining(path.slice(0, 200)),
    });
  },
);

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const dies = (pid: number): Promise<void> =>
  vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000, interval: 10 });

/** An agent that writes its pid and that of a child of its own, and then waits for ever. */
const endless = (pids: string): string =>
  `sleep 600 & echo "$$ $!" > ${pids}.new; mv ${pids}.new ${pids}; wait`;
const readPids = async (file: string): Promise<number[]> => {
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000, interval: 10 });
  return readFileSync(file, 'utf8').trim().split(' ').map(Number);
};

describe('the box', () => {
  test('ends with all its children when the machine that started it is gone', async () => {
    const pids = join(tmp, 'pids');
    const box = start(endless(pids));
    const running = await readPids(pids);
    box.child.stdin?.end();
    expect((await box.ended).code).toBe(1);
    for (const pid of running) await dies(pid);
    expect(api.bodies('fail')).toEqual([]);
  });

  test('ends with all its children on SIGTERM', async () => {
    const pids = join(tmp, 'pids');
    const box = start(endless(pids));
    const running = await readPids(pids);
    box.child.kill('SIGTERM');
    expect((await box.ended).code).toBe(143);
    for (const pid of running) await dies(pid);
  });

  test('that is told to end hands in what there is, the patch first, and says that nobody is to blame', async () => {
    const pids = join(tmp, 'pids');
    const box = start(`echo half > half.txt; ${endless(pids)}`);
    await readPids(pids);
    box.child.kill('SIGTERM');
    expect((await box.ended).code).toBe(143);
    const [report] = api.bodies('fail');
    expect(report).toMatchObject({ failure_code: 'interrupted' });
    expect(report?.['reason']).toMatch(/^the container was told to end; what there was: patch [0-9a-f]{64}/);
    const [first] = api.bodies('upload');
    expect(first).toMatchObject({ kind: 'patch' });
    expect([...api.objects.values()].map(String).join('')).toContain('+half');
    expect(api.bodies('complete')).toEqual([]);
  });

  test.each([
    ['while its patch goes up', 'upload'],
    ['while its report is on its way', 'complete'],
  ] as const)('that is told to end %s still hands in work that is whole', async (_, during) => {
    let isDown = true;
    api.answer = ({ route }) =>
      route === during && isDown ? { status: 503, body: { code: 'busy', detail: 'later' } } : null;
    const box = start('seq 100000 > big.txt; echo done');
    await api.called(during);
    box.child.kill('SIGTERM');
    isDown = false;
    expect((await box.ended).code).toBe(143);
    expect(api.bodies('complete').at(-1)).toMatchObject({
      patch_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(api.bodies('fail')).toEqual([]);
  });

  test('that is told to end before its agent has begun says that nobody is to blame, and begins nothing', async () => {
    const fifo = join(tmp, 'fifo');
    // The repository does not answer until the box was told.
    const slow = join(tmp, 'git');
    writeFileSync(
      slow,
      `#!/bin/bash\nif [ ! -e ${fifo} ]; then mkfifo ${fifo}; read < ${fifo}; fi\nPATH='${process.env['PATH']}' exec git "$@"\n`,
      { mode: 0o755 },
    );
    const box = start(`touch ${join(tmp, 'begun')}`, {}, { PATH: `${tmp}:${process.env['PATH']}` });
    await vi.waitFor(() => expect(existsSync(fifo)).toBe(true), { timeout: 20_000, interval: 10 });
    const heard = new Promise<void>((resolve) =>
      box.child.stderr?.on('data', (said: Buffer) => String(said).includes('SIGTERM') && resolve()),
    );
    box.child.kill('SIGTERM');
    await heard;
    writeFileSync(fifo, 'go on\n');
    expect((await box.ended).code).toBe(143);
    expect(api.bodies('fail')).toEqual([expect.objectContaining({ failure_code: 'interrupted' })]);
    expect(existsSync(join(tmp, 'begun'))).toBe(false);
  });

  test('that is told twice ends at once', async () => {
    const pids = join(tmp, 'pids');
    // Nobody answers what it has to say.
    api.answer = ({ route }) => (route === 'heartbeat' ? null : { status: 503, body: {} });
    const box = start(`echo half > half.txt; ${endless(pids)}`);
    await readPids(pids);
    box.child.kill('SIGTERM');
    await api.called('upload');
    box.child.kill('SIGTERM');
    expect((await box.ended).code).toBe(143);
  });

  test.each<[string, (child: ChildProcess) => void, number]>([
    ['when the machine that started it is gone', (child) => child.stdin?.end(), 1],
    ['on SIGTERM', (child) => child.kill('SIGTERM'), 143],
    ['on SIGINT', (child) => child.kill('SIGINT'), 143],
    ['on SIGHUP', (child) => child.kill('SIGHUP'), 129],
  ])('ends what has left the group, the session and the environment too, %s', async (_, leave, code) => {
    const pids = join(tmp, 'pids');
    const away = (name: string, how: string) =>
      `(${how} setsid ${name === 'bare' ? 'env -i' : ''} bash -c 'echo $$ > ${pids}.${name}; while :; do sleep 1; done' > /dev/null 2>&1 &); while [ ! -s ${pids}.${name} ]; do sleep 0.01; done;`;
    const box = start(
      `${away('bare', '')} ${away('elsewhere', 'cd / &&')} echo $(cat ${pids}.bare ${pids}.elsewhere) > ${pids}.new; mv ${pids}.new ${pids}; sleep 600`,
    );
    const running = await readPids(pids);
    leave(box.child);
    expect((await box.ended).code).toBe(code);
    for (const pid of running) await dies(pid);
  });

  test('marks what it starts with its own name, for those who look for what a killed box has left', async () => {
    const box = startBox(
      ['containers/agent/main.ts'],
      api,
      agentAssignment(api, repository.url, ['bash', '-c', 'env > out'], { base_commit: base }),
      { ASSAY_LAUNCH_NAME: 'T1/1/agent/x' },
    );
    expect((await box.ended).code).toBe(0);
    expect(String(api.bodies('complete')[0]?.['patch'])).toContain('+ASSAY_LAUNCH_NAME=T1/1/agent/x\n');
  });

  test('stops the agent when the lease is refused, and reports nothing', async () => {
    const pids = join(tmp, 'pids');
    const box = start(endless(pids), { heartbeat_s: 0.05 });
    const running = await readPids(pids);
    api.answer = ({ route }) =>
      route === 'heartbeat' ? { status: 409, body: { code: 'stale_lease', detail: 'gone' } } : null;
    const { code, log } = await box.ended;
    expect(code).toBe(0);
    expect(log).toContain('the lease is gone');
    for (const pid of running) await dies(pid);
    expect(api.calls.some(({ route }) => route === 'fail' || route === 'complete')).toBe(false);
  });

  test('keeps beating through errors of the API, and sends a report again until it is taken', async () => {
    let refused = 0;
    api.answer = ({ route }) =>
      route === 'complete' && refused++ < 2 ? { status: 503, body: { code: 'busy', detail: 'later' } } : null;
    const { complete } = await runAgent('echo ok');
    expect(complete).toMatchObject({ summary: 'ok' });
    expect(api.bodies('complete')).toHaveLength(3);
    expect(new Set(api.bodies('complete').map((body) => JSON.stringify(body))).size).toBe(1);
  });

  test('ends well when its report comes too late', async () => {
    api.answer = ({ route }) =>
      route === 'complete' ? { status: 409, body: { code: 'stale_lease', detail: 'x' } } : null;
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await runAgent('true');
    expect(log).toHaveBeenCalledWith(expect.stringContaining('complete was refused with 409'));
  });

  test('that was started ahead waits for the rest of its environment, and else ends with the machine that started it', async () => {
    const env = { [CONTAINER_ENV_NAMES.warmStart]: '1', [CONTAINER_ENV_NAMES.assignmentUrl]: '' };
    const box = start('echo "$ASSAY_LAUNCH_NAME"', {}, env);
    box.child.stdin?.write(
      `${JSON.stringify({ [CONTAINER_ENV_NAMES.assignmentUrl]: `${api.url}/assignment`, [CONTAINER_ENV_NAMES.launchName]: 'T1/1/agent/1' })}\n`,
    );
    expect((await api.called('complete')).body).toMatchObject({ summary: 'T1/1/agent/1' });
    expect((await box.ended).code).toBe(0);
    const unused = start('echo', {}, env);
    unused.child.stdin?.end();
    expect((await unused.ended).code).toBe(1);
    expect(api.bodies('complete')).toHaveLength(1);
  });

  test('ends with an error when it has no assignment, or one for another box', async () => {
    api.answer = () => null;
    const other = startBox(['containers/gates/main.ts'], api, agentAssignment(api, repository.url, ['true']));
    expect(await other.ended).toMatchObject({
      code: 1,
      log: expect.stringContaining('this box is for gates'),
    });
    const none = startBox(['containers/agent/main.ts'], api, agentAssignment(api, repository.url, ['true']), {
      ASSAY_ASSIGNMENT_URL: `${api.url}/nothing`,
    });
    expect(await none.ended).toMatchObject({
      code: 1,
      log: expect.stringContaining('the assignment is gone'),
    });
  });
});
