import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTaskRecords } from '../../../local/ecs/task-records.ts';
import { temporaryDirectory } from '../support/resources.ts';
import { startEcs, type TestEcs } from './support.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let ecs: TestEcs | null = null;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(async () => {
  await ecs?.ecs.stop();
  directory.remove();
});

const WAITS = "console.log('box is up'); process.stdin.on('end', () => process.exit(0)).resume();";
/** The stack that was there before is not told: it is as if it had been killed. */
async function start(source: string): Promise<TestEcs> {
  await ecs?.ecs.stop();
  ecs = await startEcs(source, { dataDir: directory.path });
  return ecs;
}
const request = { taskDefinition: 'box', clientToken: 'launch-1', startedBy: 'somebody' };
const starts = ({ logs }: TestEcs) => logs.filter((line) => line.includes('box is up')).length;

it('the same RunTask after a kill starts no second box, and the first one is told to have stopped', async () => {
  const first = await start(WAITS);
  const ran = await first.call('RunTask', request);
  await first.logged('box is up');
  const second = await start(WAITS);
  const arn = ran.tasks[0]?.taskArn ?? '';
  expect(await second.stopped(arn)).toMatchObject({
    stopCode: 'EssentialContainerExited',
  });
  const again = await second.call('RunTask', request);
  expect(again.tasks).toMatchObject([{ taskArn: arn, lastStatus: 'STOPPED', startedBy: 'somebody' }]);
  expect((await second.call('ListTasks', { startedBy: 'somebody' })).taskArns).toEqual([]);
  const conflict = await second.call('RunTask', { ...request, startedBy: 'another' });
  expect(conflict).toMatchObject({ __type: 'ConflictException', resourceIds: [arn] });
  await second.call('RunTask', { ...request, clientToken: 'launch-2' });
  await second.logged('box is up');
  expect(starts(second)).toBe(1);
});

it('a box that had stopped before is known as such, and nobody is told twice', async () => {
  const first = await start("console.log('box is up')");
  const ran = await first.call('RunTask', request);
  await first.stopped();
  const second = await start(WAITS);
  expect(second.events).toEqual([]);
  expect((await second.call('RunTask', request)).tasks).toMatchObject([{ taskArn: ran.tasks[0]?.taskArn }]);
  expect(starts(second)).toBe(0);
});

it('a file that is cut anywhere is named, and its token starts no second box', async () => {
  const first = await start("console.log('box is up')");
  await first.call('RunTask', request);
  await first.stopped();
  const folder = join(directory.path, 'ecs-tasks');
  const [path = ''] = readdirSync(folder).map((name) => join(folder, name));
  const whole = readFileSync(path);
  for (let cut = 0; cut < whole.length; cut += 1) {
    writeFileSync(path, whole.subarray(0, cut));
    const said: string[] = [];
    const files = openTaskRecords(folder, (message) => said.push(message));
    expect([cut, files.load(), files.isDamaged(request.clientToken), said]).toEqual([
      cut,
      [],
      true,
      [expect.stringContaining(`${path} is damaged`)],
    ]);
  }
  const second = await start("console.log('box is up')");
  expect(second.errors).toEqual([expect.stringContaining(path)]);
  expect(await second.call('RunTask', request)).toMatchObject({ __type: 'ConflictException' });
  await second.call('RunTask', { ...request, clientToken: 'launch-2' });
  await second.stopped();
  expect(starts(second)).toBe(1);
});
