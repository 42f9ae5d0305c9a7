import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createContainerHost } from '../../../local/ecs/container-host.ts';
import { temporaryDirectory } from '../support/resources.ts';

it('boxes end as killed when the process that starts them dies, and the next box gets a new one', async () => {
  const directory = temporaryDirectory();
  // Says who its parent is, and ends with its standard input.
  const program = `console.log(process.ppid); process.stdin.on('end', () => process.exit(0)).resume();`;
  writeFileSync(join(directory.path, 'main.mjs'), program);
  const host = createContainerHost();
  const start = async (name: string) => {
    const parent = Promise.withResolvers<number>();
    const box = await host.startContainer({
      program: {
        directory: directory.path,
        command: [],
        environment: {},
        scratch: directory.path,
        canStartWarm: false,
      },
      environment: {},
      logFile: join(directory.path, `${name}.log`),
      onLine: (line) => parent.resolve(Number(line)),
    });
    return { box, parent: await parent.promise };
  };
  const first = await start('first');
  expect(first.parent).not.toBe(process.pid);
  process.kill(first.parent, 'SIGKILL');
  expect(await first.box.exitCode).toBe(137);
  const second = await start('second');
  expect(second.parent).not.toBe(first.parent);
  second.box.stop(1_000);
  expect(await second.box.exitCode).toBe(143);
  await host.stop();
  directory.remove();
});
