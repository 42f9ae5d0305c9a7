import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanView } from '../../shared/api/plan-schemas.ts';
import { fakeCli } from '../containers/fake-cli.ts';
import { PROJECT, Repository, RIGHT } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
const folder = mkdtempSync(join(tmpdir(), 'assay-plans-'));

/** Of which the first attempt has a cycle, names a file that is not there, and changes another file. */
const GOOD = `tasks:
  - key: fix-sum
    title: Mend sum
    files: [src/sum.js]
    completion_signals:
      - { type: test_passes, command: grep -q "a + b" src/sum.js }
      - { type: test_passes, command: node --test }
  - key: notes
    title: Write notes
    role: docs
    new_files: [NOTES.md]
    depends_on: [fix-sum]
    completion_signals:
      - { type: path_exists, path: NOTES.md }
`;
const BAD = GOOD.replace('files: [src/sum.js]', 'files: [src/none.js]\n    depends_on: [notes]');
const EMPTY = `tasks:
  - { key: nothing, title: Nothing, completion_signals: [{ type: path_exists, path: src/sum.js }] }
`;

beforeAll(async () => {
  repository = new Repository(PROJECT);
  for (const [name, text] of Object.entries({
    'good.yaml': GOOD,
    'bad.yaml': BAD,
    'empty.yaml': EMPTY,
    'sum.js': RIGHT,
  }))
    writeFileSync(join(folder, name), text);
  // The manager plans, badly at first; the others do what they were planned for.
  writeFileSync(
    join(folder, 'agent.sh'),
    `if [ "$ASSAY_ROLE" = manager ]; then
  mkdir -p .assay
  if [ "$ASSAY_ATTEMPT" = 1 ]; then cp ${folder}/bad.yaml .assay/plan.yaml; else cp ${folder}/good.yaml .assay/plan.yaml; grep -q 'not in the base' "$ASSAY_PROMPT_FILE" || exit 1; fi
elif [ "$ASSAY_ROLE" = docs ]; then echo notes > NOTES.md
else cp ${folder}/sum.js src/sum.js; fi
echo did it
`,
  );
  // What `assay plan` runs is an agent CLI: one that plans as its goal says.
  const bin = fakeCli(
    folder,
    'claude',
    `if [ "$ASSAY_ROLE" = manager ]; then
  if grep -q 'think for ever' "$ASSAY_PROMPT_FILE"; then exec sleep 600; fi
  mkdir -p .assay; cp ${folder}/good.yaml .assay/plan.yaml
fi
echo '{"type":"result","session_id":"s","num_turns":1,"structured_output":{"status":"done","summary":"planned"}}'`,
  );
  stack = await Stack.start({
    PATH: bin,
    ANTHROPIC_API_KEY: 'scripted',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  });
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

const adapter = (file = 'agent.sh') => ({
  kind: 'command',
  argv: ['bash', join(folder, file)],
  timeout_s: 60,
});
const ask = (fields: object) =>
  stack.call<PlanView>('POST', '/plans', {
    goal: 'Make sum right',
    repository: repository.url,
    adapter: adapter(),
    ...fields,
  });
const get = async (id: string): Promise<PlanView> => (await stack.call<PlanView>('GET', `/plans/${id}`)).body;
const held = (id: string) =>
  stack.until(id, 'its hold', ({ hold, ended_at }) => hold !== null || ended_at !== null);

async function assay(...argv: string[]) {
  const child = spawn(process.execPath, [resolve('cli/main.ts'), ...argv], {
    cwd: folder,
    env: { ...process.env, ASSAY_URL: stack.ready.url, ASSAY_TOKEN: stack.ready.token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

describe('a plan', () => {
  it('is planned again until it holds, makes nothing before a yes, and then all of it, once', async () => {
    const { status, body } = await ask({});
    expect(status).toBe(201);
    expect(body).toMatchObject({ state: 'planning', tasks: [] });
    await held(body.id);
    const proposed = await get(body.id);
    expect(proposed).toMatchObject({ state: 'proposed', attempts: 2 });
    expect(proposed.tasks.map(({ key, status: made }) => [key, made])).toEqual([
      ['fix-sum', null],
      ['notes', null],
    ]);
    expect(proposed.notes).toEqual([
      { key: 'fix-sum', message: 'passes on the base already: test_passes: node --test' },
    ]);
    const [first] = await stack.attempts(body.id);
    const told = JSON.stringify(first?.verdict?.reasons);
    expect(told).toContain('src/none.js is not in the base');
    expect(told).toContain('form a cycle');
    expect((await stack.call('GET', `/tasks/${body.id}-fix-sum`)).status).toBe(404);

    const other = await stack.call('POST', `/plans/${body.id}/approve`, { tree: 'c'.repeat(40) });
    expect(other.status).toBe(422);
    const shown = await assay('plans', 'show', body.id);
    expect(shown.stdout).toContain('└─ notes  Write notes');
    const drawn = await assay('plans', 'show', body.id, '--mermaid');
    expect(drawn.stdout).toContain('graph TD\n');
    expect(drawn.stdout).toContain('  fix-sum --> notes\n');

    const approved = await stack.call<PlanView>('POST', `/plans/${body.id}/approve`, { tree: proposed.tree });
    expect(approved.body.state).toBe('creating');
    expect(await stack.ended(body.id)).toMatchObject({
      status: 'done',
      delivery: { state: 'withheld', reason: 'a plan is not delivered: its tasks are' },
    });
    expect(await stack.ended(`${body.id}-notes`)).toMatchObject({
      status: 'done',
      base_ref: `assay/${body.id}-fix-sum`,
    });
    expect((await get(body.id)).tasks.map(({ status: made }) => made)).toEqual(['done', 'done']);
    expect(repository.show(`assay/${body.id}-notes`, 'src/sum.js')).toBe(RIGHT.trim());
  });

  it('is approved by assay plans approve, with its reason', async () => {
    writeFileSync(join(folder, 'once.sh'), `mkdir -p .assay; cp ${folder}/good.yaml .assay/plan.yaml`);
    const { body } = await ask({ adapter: adapter('once.sh') });
    await held(body.id);
    const yes = await assay('plans', 'approve', body.id, '--reason', 'as discussed');
    expect(yes).toMatchObject({ code: 0, stdout: `${body.id} creating: its tasks are created\n` });
    expect((await stack.ended(body.id)).review?.reason).toBe('as discussed');
    for (const key of ['fix-sum', 'notes']) await stack.call('POST', `/tasks/${body.id}-${key}/cancel`, {});
  });

  describe('asked for by assay plan', () => {
    const plan = (goal: string, ...argv: string[]) =>
      assay('plan', goal, '--repo', repository.url, '--adapter', 'claude', ...argv);
    const parsed = (stdout: string): PlanView => (JSON.parse(stdout) as { plan: PlanView }).plan;
    const cancelAll = async (id: string): Promise<void> => {
      for (const each of ['-fix-sum', '-notes', ''])
        await stack.call('POST', `/tasks/${id}${each}/cancel`, {});
    };

    it('is proposed with its graph and waits; a no has it planned again, and another yes is refused', async () => {
      const proposed = await plan('Make sum right', '--idempotency-key', 'one');
      expect([proposed.code, proposed.stderr]).toEqual([
        3,
        expect.stringContaining('No task is created yet'),
      ]);
      expect(proposed.stdout).toContain('└─ notes  Write notes');
      // The same command again is the same plan, as it stands.
      const again = await plan('Make sum right', '--idempotency-key', 'one', '--json');
      const { id, tree, state } = parsed(again.stdout);
      expect([again.code, state, proposed.stdout.includes(id)]).toEqual([3, 'proposed', true]);
      expect((await stack.call('GET', `/tasks/${id}-notes`)).status).toBe(404);

      const other = await plan('Something else', '--idempotency-key', 'one');
      expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('idempotency')]);

      const no = await assay('plans', 'reject', id, '--reason', 'two tasks are one too many');
      expect(no).toMatchObject({ code: 0, stdout: `${id} planning: the goal is planned again\n` });
      await stack.until(
        id,
        'its second proposal',
        ({ hold, attempt_count }) => hold !== null && attempt_count === 2,
      );
      const wrong = await assay('plans', 'approve', id, '--tree', 'c'.repeat(40));
      expect([wrong.code, wrong.stdout]).toEqual([2, '']);
      expect((await get(id)).state).toBe('proposed');
      expect(tree).toMatch(/^[0-9a-f]{40}$/);
      await cancelAll(id);
    });

    it('with --yes is made, and said twice it is made once', async () => {
      const first = await plan('Make sum right', '--yes', '--json', '--idempotency-key', 'two');
      const made = parsed(first.stdout);
      expect([first.code, made.state]).toEqual([0, 'created']);
      const second = await plan('Make sum right', '--yes', '--json', '--idempotency-key', 'two');
      expect([second.code, parsed(second.stdout).id]).toEqual([0, made.id]);
      const ids = (await stack.call<{ tasks: { id: string }[] }>('GET', '/tasks?limit=100')).body.tasks
        .map(({ id }) => id)
        .filter((id) => id.startsWith(made.id));
      expect(ids.sort()).toEqual([made.id, `${made.id}-fix-sum`, `${made.id}-notes`]);
      await cancelAll(made.id);
    });

    it('says that it has not ended in time, and leaves the plan as it is', async () => {
      const late = await plan('think for ever', '--timeout', '1', '--idempotency-key', 'late');
      expect([late.code, late.stdout]).toEqual([124, '']);
      const [id = ''] = /[0-9A-HJKMNP-TV-Z]{26}/.exec(late.stderr) ?? [];
      expect((await get(id)).state).toBe('planning');
      await cancelAll(id);
      expect((await get(id)).state).toBe('cancelled');
    });

    it.each([
      [['--adapter', 'aider'], "argument 'aider' is invalid. Allowed choices are"],
      [['--effort', 'enormous'], "argument 'enormous' is invalid. Allowed choices are"],
      [['--max-tasks', '51'], 'max_tasks'],
      [['--adapter', 'gemini'], 'gemini needs models of gemini'],
    ])('is refused with %j before anything runs', async (argv, said) => {
      const { code, stderr } = await assay('plan', 'Anything', '--repo', repository.url, ...argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    });
  });

  it.each([
    [
      'whose tasks are done already',
      'mkdir .assay; cp "$D/empty.yaml" .assay/plan.yaml',
      'pass on the base already',
    ],
    ['that is no YAML', 'mkdir .assay; echo "a: [" > .assay/plan.yaml', 'line 2'],
    ['that is missing', 'echo x > other.txt', 'changes nothing but itself'],
    ['that is a link out', 'mkdir .assay; ln -s /etc/passwd .assay/plan.yaml', 'no plain file'],
    [
      'that changes code as well',
      'mkdir .assay; cp "$D/good.yaml" .assay/plan.yaml; echo 1 >> src/sum.js',
      'changes src/sum.js',
    ],
    ['with a YAML bomb', `mkdir .assay; printf 'a: &a [x]\\nb: [*a,*a]\\n' > .assay/plan.yaml`, 'aliases'],
  ])('%s fails with the reason, and makes nothing', async (what, script, reason) => {
    const file = `${what.replaceAll(/\W/g, '-')}.sh`;
    writeFileSync(join(folder, file), `D=${folder}; ${script}`);
    const { body } = await ask({ adapter: adapter(file), budget: { max_attempts: 1 } });
    expect(await held(body.id)).toMatchObject({ status: 'failed' });
    const plan = await get(body.id);
    expect(plan).toMatchObject({ state: 'failed', tasks: [] });
    expect(plan.reasons.join('\n')).toContain(reason);
  });

  it('is refused with the field that is wrong, and a task that is none is no plan', async () => {
    const errors = async (fields: object) =>
      ((await ask(fields)).body as unknown as { errors: { pointer: string }[] }).errors.map(
        ({ pointer }) => pointer,
      );
    expect(await errors({ goal: '' })).toEqual(['/goal']);
    expect(await errors({ max_tasks: 51 })).toEqual(['/max_tasks']);
    expect(await errors({ files: ['x'] })).toEqual(['/files']);
    const { id } = await stack.submit({ title: 'No plan', repository: repository.url, runner: 'external' });
    expect((await stack.call('GET', `/plans/${id}`)).status).toBe(404);
    expect((await stack.call('POST', `/plans/${id}/approve`, {})).status).toBe(404);
  });
});
