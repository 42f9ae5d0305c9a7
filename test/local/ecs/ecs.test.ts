import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEcs, type EcsOptions } from '../../../local/ecs/index.ts';
import { lifeline } from './lifeline.ts';
import { overrides, resources, startEcs, type TestEcs } from './support.ts';

/** Runs the JavaScript that is its first argument; without one, it runs until it is ended. */
const PROGRAM = `
const [script, ...args] = process.argv.slice(2);
if (script) await new Function('args', 'return (async () => {' + script + '})()')(args);
else { console.log('ready'); setInterval(() => {}, 1000); }
`;
const script = (source: string, environment: Record<string, string> = {}) => overrides([source], environment);

let running: TestEcs | undefined;
const start = async (...args: Parameters<typeof startEcs>) => {
  running = await startEcs(...args);
  return running;
};
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

describe('a task', () => {
  it.each([
    ['process.exit(0)', 0],
    ['process.exit(7)', 7],
    ["process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})", 137],
  ])('that runs %s stops with exit code %i, and the bus hears of it', async (source, exitCode) => {
    const ecs = await start(PROGRAM);
    const tag = [{ key: 'task', value: 't1' }];
    const ran = await ecs.run({ ...script(source), startedBy: 'attempt-1', tags: tag });
    expect(ran.failures).toEqual([]);
    const [task] = ran.tasks;
    expect(task).toMatchObject({ lastStatus: 'PENDING', startedBy: 'attempt-1', tags: tag });
    expect(await ecs.stopped()).toMatchObject({
      clusterArn: 'arn:aws:ecs:us-east-1:000000000000:cluster/boxes',
      taskArn: task?.taskArn,
      lastStatus: 'STOPPED',
      startedBy: 'attempt-1',
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'Essential container in task exited',
      stoppedAt: expect.stringMatching(/Z$/),
      containers: [{ name: 'main', lastStatus: 'STOPPED', exitCode }],
      overrides: { containerOverrides: [{ name: 'main', command: [source], environment: [] }] },
    });
    expect(
      ecs.events.map((event) => [event.source, event['detail-type'], event.detail['lastStatus']]),
    ).toEqual([
      ['aws.ecs', 'ECS Task State Change', 'RUNNING'],
      ['aws.ecs', 'ECS Task State Change', 'STOPPED'],
    ]);
  });

  it('sees the environment of its definition and its overrides, and hardly anything of ours', async () => {
    const Environment = [
      { Name: 'KEPT', Value: 'definition' },
      { Name: 'CHANGED', Value: 'definition' },
    ];
    const ecs = await start(PROGRAM, {
      container: { Environment },
      environmentFor: (container) => ({ GIVEN: `stack to ${container}`, KEPT: 'stack' }),
    });
    process.env['ASSAY_TEST_SECRET'] = 'must not be seen';
    await ecs.run(script('console.log(JSON.stringify(process.env))', { CHANGED: 'override', ADDED: 'yes' }));
    await ecs.stopped();
    delete process.env['ASSAY_TEST_SECRET'];
    const { HOME, TMPDIR, PATH, LANG, ...others } = JSON.parse(ecs.logs[0]?.replace(/^\[.*?\] /, '') ?? '');
    expect(others).toEqual({
      KEPT: 'definition',
      CHANGED: 'override',
      ADDED: 'yes',
      GIVEN: 'stack to main',
      ASSAY_EXIT_WITH_PARENT: '1',
      // Where compiled code of ours is kept: nothing of it is a secret, and who can write there can write our code as well.
      ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
    });
    expect(PATH).toBe(process.env['PATH']);
    expect(LANG).toBeTruthy();
    for (const place of [HOME, TMPDIR]) expect(place).toContain(join(ecs.dataDir, 'ecs-scratch'));
  });

  it('gets the command of its definition when no override names one', async () => {
    const ecs = await start(PROGRAM, { container: { Command: ['console.log("args", ...args)', 'gates'] } });
    await ecs.run();
    await ecs.stopped();
    expect(ecs.logs[0]).toMatch(/^\[main [0-9a-f]{8}\] args gates$/);
  });

  it('has its output kept, and its scratch directory removed', async () => {
    const ecs = await start(PROGRAM);
    const source =
      "const fs = await import('node:fs'); fs.writeFileSync('left', 'x'); console.log('out'); console.error('err')";
    await ecs.run(script(source));
    const { taskArn } = await ecs.stopped();
    const log = await readFile(
      join(ecs.dataDir, 'ecs-logs', `${String(taskArn).split('/').at(-1)}.log`),
      'utf8',
    );
    expect(log.trim().split('\n').toSorted()).toEqual(['err', 'out']);
    expect(await readdir(join(ecs.dataDir, 'ecs-scratch'))).toEqual([]);
  });

  it('takes the processes that it started in its group down with it', async () => {
    const ecs = await start(PROGRAM);
    const life = await lifeline();
    const source = `
      const { spawn } = await import('node:child_process');
      spawn(process.execPath, ['-e', args[0]], { stdio: 'ignore' });
      setInterval(() => {}, 1000)`;
    const [task] = (await ecs.run(overrides([source, life.source]))).tasks;
    const { ended } = await life.connected;
    await ecs.call('StopTask', { task: task?.taskArn });
    await ended;
    life.close();
    expect(await ecs.stopped()).toMatchObject({ containers: [{ exitCode: 143 }] });
  });
});

it('a task stops when its program does, also while a process in another group holds its output', async () => {
  const ecs = await start(PROGRAM);
  const life = await lifeline();
  const source = `
    const { spawn } = await import('node:child_process');
    spawn(process.execPath, ['-e', args[0]], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] }).unref();
    setInterval(() => {}, 1000)`;
  const [task] = (await ecs.run(overrides([source, life.source]))).tasks;
  const holder = await life.connected;
  await ecs.call('StopTask', { task: task?.taskArn });
  expect(await ecs.stopped()).toMatchObject({ containers: [{ exitCode: 143 }] });
  holder.release();
  life.close();
});

describe('StopTask', () => {
  it('sends SIGTERM, and the task says why it stopped', async () => {
    const ecs = await start(PROGRAM);
    const [task] = (await ecs.run()).tasks;
    await ecs.logged('ready');
    const answer = await ecs.ecs.handle('StopTask', {
      cluster: 'boxes',
      task: task?.taskArn,
      reason: 'enough',
    });
    expect(answer.body).toMatchObject({ task: { desiredStatus: 'STOPPED', lastStatus: 'RUNNING' } });
    expect(await ecs.stopped()).toMatchObject({
      stopCode: 'UserInitiated',
      stoppedReason: 'enough',
      containers: [{ exitCode: 143 }],
    });
  });

  it('sends SIGKILL to a container that ignores it for longer than its StopTimeout', async () => {
    const ecs = await start(PROGRAM, { container: { StopTimeout: 0.1 } });
    const source =
      "process.on('SIGTERM', () => console.log('no')); console.log('ready'); setInterval(() => {}, 1000)";
    const [task] = (await ecs.run(script(source))).tasks;
    await ecs.logged('ready');
    await ecs.call('StopTask', { task: task?.taskArn });
    await ecs.logged('no');
    expect(await ecs.stopped()).toMatchObject({ containers: [{ exitCode: 137 }] });
  });

  it('also stops a task that has not started yet', async () => {
    const ecs = await start(PROGRAM);
    const [task] = (await ecs.run()).tasks;
    await ecs.call('StopTask', { task: task?.taskArn });
    expect(await ecs.stopped()).toMatchObject({ stopCode: 'UserInitiated' });
  });

  it('refuses a task that it does not know', async () => {
    const ecs = await start(PROGRAM);
    expect(await ecs.call('StopTask', { task: 'nothing' })).toMatchObject({
      __type: 'InvalidParameterException',
    });
  });
});

describe('RunTask', () => {
  it('starts one task per client token', async () => {
    const ecs = await start(PROGRAM);
    const first = await ecs.run({ clientToken: 'attempt', startedBy: 'a' });
    const again = await ecs.run({ clientToken: 'attempt', startedBy: 'a' });
    expect(again.tasks[0]?.taskArn).toBe(first.tasks[0]?.taskArn);
    const other = await ecs.run({ clientToken: 'attempt', startedBy: 'b' });
    expect(other).toMatchObject({ __type: 'ConflictException', resourceIds: [first.tasks[0]?.taskArn] });
    expect((await ecs.call('ListTasks')).taskArns).toHaveLength(1);
  });

  it('still knows the token when the task has stopped', async () => {
    const ecs = await start(PROGRAM);
    const request = { clientToken: 'attempt', ...script('process.exit(0)') };
    const first = await ecs.run(request);
    await ecs.stopped();
    const again = await ecs.run(request);
    expect(again.tasks[0]).toMatchObject({ taskArn: first.tasks[0]?.taskArn, lastStatus: 'STOPPED' });
  });

  it('answers with a failure when there is no capacity, and works again when there is', async () => {
    const ecs = await start(PROGRAM, { capacity: 1 });
    const [task] = (await ecs.run({ clientToken: 'one' })).tasks;
    const full = await ecs.run({ clientToken: 'two' });
    const reason = expect.stringContaining('the limit on the number of vCPUs');
    expect(full).toEqual({ tasks: [], failures: [{ reason }] });
    await ecs.call('StopTask', { task: task?.taskArn });
    await ecs.stopped();
    expect((await ecs.run({ clientToken: 'two' })).tasks).toHaveLength(1);
  });

  it('fails as often as the tests ask it to', async () => {
    const ecs = await start(PROGRAM);
    ecs.faults.runTaskCapacityFailures = 2;
    const failures = [await ecs.run(), await ecs.run(), await ecs.run()].map(
      (answer) => answer.failures.length,
    );
    expect(failures).toEqual([1, 1, 0]);
    expect(ecs.counts).toEqual({ 'ecs.RunTask': 3 });
  });

  it.each<[string, object, string]>([
    [
      'overrides over 8,192 bytes',
      script('x'.repeat(8_192)),
      'Container Overrides length must be at most 8192',
    ],
    ['startedBy over 36 characters', { startedBy: 'x'.repeat(37) }, 'startedBy'],
    ['clientToken over 64 characters', { clientToken: 'x'.repeat(65) }, 'clientToken'],
    [
      'an unknown container',
      { overrides: { containerOverrides: [{ name: 'other' }] } },
      'container named other',
    ],
    ['more than one task', { count: 2 }, 'count'],
  ])('refuses %s', async (_name, body, message) => {
    const ecs = await start(PROGRAM);
    const answer = await ecs.run(body);
    expect(answer.__type).toBe('InvalidParameterException');
    expect(answer.message).toContain(message);
  });

  it('accepts overrides of exactly 8,192 bytes', async () => {
    const ecs = await start(PROGRAM);
    const empty = JSON.stringify(script('').overrides).length;
    const answer = await ecs.run(script(`//${'x'.repeat(8_192 - empty - 2)}`));
    expect(answer.failures).toEqual([]);
  });

  it.each([
    ['ClientException', { taskDefinition: 'other' }],
    ['ClusterNotFoundException', { cluster: 'other' }],
  ])('answers %s for %j', async (code, body) => {
    const ecs = await start(PROGRAM);
    expect(await ecs.run(body)).toMatchObject({ __type: code });
  });

  it.each(['box', 'box:1', 'arn:aws:ecs:us-east-1:000000000000:task-definition/box:1'])(
    'finds the task definition %s',
    async (taskDefinition) => {
      const ecs = await start(PROGRAM);
      expect((await ecs.run({ taskDefinition })).tasks[0]).toMatchObject({
        taskDefinitionArn: 'arn:aws:ecs:us-east-1:000000000000:task-definition/box:1',
      });
    },
  );
});

describe('DescribeTasks and ListTasks', () => {
  it('show tasks by ARN and id, and what is missing', async () => {
    const ecs = await start(PROGRAM);
    const [task] = (await ecs.run({ tags: [{ key: 'k', value: 'v' }] })).tasks;
    const id = task?.taskArn.split('/').at(-1);
    const answer = await ecs.call('DescribeTasks', { tasks: [task?.taskArn, id, 'gone'] });
    expect(answer.tasks.map(({ taskArn, tags }) => [taskArn, tags])).toEqual([
      [task?.taskArn, []],
      [task?.taskArn, []],
    ]);
    expect(answer.failures).toEqual([{ arn: 'gone', reason: 'MISSING' }]);
    const tagged = await ecs.call('DescribeTasks', { tasks: [id], include: ['TAGS'] });
    expect(tagged.tasks[0]?.['tags']).toEqual([{ key: 'k', value: 'v' }]);
  });

  it('list running tasks unless stopped ones are asked for', async () => {
    const ecs = await start(PROGRAM);
    const [runs] = (await ecs.run({ startedBy: 'runs' })).tasks;
    const [stops] = (await ecs.run({ startedBy: 'stops', ...script('process.exit(0)') })).tasks;
    await ecs.stopped(stops?.taskArn);
    const list = async (body: object) => (await ecs.call('ListTasks', body)).taskArns;
    expect(await list({})).toEqual([runs?.taskArn]);
    expect(await list({ desiredStatus: 'STOPPED', family: 'box' })).toEqual([stops?.taskArn]);
    expect(await list({ startedBy: 'stops' })).toEqual([]);
    expect(await list({ startedBy: 'runs' })).toEqual([runs?.taskArn]);
    expect(await list({ family: 'other' })).toEqual([]);
  });
});

describe('what a killed stack left behind', () => {
  it('is removed at the next start', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'assay-ecs-left-'));
    const left = join(dataDir, 'ecs-scratch', 'task');
    await mkdir(join(left, 'home'), { recursive: true });
    await start(PROGRAM, { dataDir });
    await expect.poll(() => existsSync(left)).toBe(false);
    await rm(dataDir, { recursive: true });
  });
});

describe('stop', () => {
  it('ends every container without telling the bus', async () => {
    const ecs = await start(PROGRAM);
    await ecs.run(script("console.log('pid', process.pid); setInterval(() => {}, 1000)"));
    await ecs.logged('pid');
    await ecs.ecs.stop();
    expect(isAlive(Number(/pid (\d+)/.exec(ecs.logs[0] ?? '')?.[1]))).toBe(false);
    expect(ecs.events.map(({ detail }) => detail['lastStatus'])).toEqual(['RUNNING']);
  });
});

describe('a task definition is refused at start', () => {
  it.each<[string, object, RegExp]>([
    [
      'for an image that is not in the assembly',
      { Image: 'public/image' },
      /public\/image.*not in the assembly/,
    ],
    ['for secrets', { Secrets: [{ Name: 'A', ValueFrom: 'b' }] }, /Secrets/],
    ['for an entry point of its own', { EntryPoint: ['sh'] }, /EntryPoint/],
  ])('%s', (_name, container, message) => {
    const options = { resources: resources(container), imageDirectory: imageOnly('registry/image:tag') };
    expect(() => createEcs({ ...options, dataDir: '/nowhere' } as unknown as EcsOptions)).toThrow(message);
    expect(existsSync('/nowhere')).toBe(false);
  });
});

const imageOnly = (known: string) => (uri: unknown) => (uri === known ? '/image' : null);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
