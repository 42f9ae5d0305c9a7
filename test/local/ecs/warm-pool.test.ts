import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startContainer } from '../../../local/ecs/container.ts';
import type { ContainerProgram } from '../../../local/ecs/container-process.ts';
import { createWarmContainerPool, type WarmContainerPool } from '../../../local/ecs/warm-pool.ts';
import { temporaryDirectory } from '../support/resources.ts';

/** Says who it is and what it was told, as a box does that waits for the rest of its environment where it was started ahead. */
const WAITS = `
let text = '';
const say = () => { console.log(process.pid, process.env.TASK); process.exit(0); };
process.stdin.on('end', () => process.exit(1)).on('data', (piece) => {
  text += piece;
  if (!text.includes('\\n')) return;
  Object.assign(process.env, JSON.parse(text));
  say();
});
if (process.env.ASSAY_WARM_START === undefined) say();
`;

describe('the process of the next box', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let ahead: WarmContainerPool;
  const kinds: ContainerProgram[] = [];
  const [first = 0, second = 1] = [0, 1];
  const of = (kind: number): ContainerProgram => kinds[kind] as ContainerProgram;

  beforeEach(() => {
    directory = temporaryDirectory();
    writeFileSync(join(directory.path, 'main.mjs'), WAITS);
    kinds.splice(0);
    for (const KIND of ['one', 'other'])
      kinds.push({
        directory: directory.path,
        command: [],
        environment: { KIND },
        scratch: join(directory.path, 'scratch'),
        canStartWarm: true,
      });
    ahead = createWarmContainerPool();
  });
  afterEach(async () => {
    await ahead.stop();
    directory.remove();
  });

  /** Runs a box from start to end. */
  async function run(kind: number, task: string) {
    const process = await ahead.take(of(kind));
    const lines: string[] = [];
    const logFile = join(directory.path, 'log');
    const options = {
      program: of(kind),
      environment: { TASK: task },
      logFile,
      onLine: (line: string) => lines.push(line),
    };
    const box = await startContainer(options, process);
    expect(await box.exitCode).toBe(0);
    ahead.containerEnded(of(kind));
    return { process, said: lines.join('\n') };
  }

  it('waits as soon as one has ended, of the kind that came next the last time, and is used for one box', async () => {
    const runs = [];
    for (const [index, kind] of [first, second, first, second, first].entries())
      runs.push(await run(kind, `task-${index}`));
    const pids = runs.map(({ process }) => process?.child.pid);
    // What comes after the second kind is known when the third box has begun.
    expect(pids.map((pid) => pid !== undefined)).toEqual([false, false, false, true, true]);
    expect(new Set(runs.map(({ said }) => said.split(' ')[0])).size).toBe(5);
    expect(runs.map(({ said }) => said.split(' ')[1])).toEqual([0, 1, 2, 3, 4].map((each) => `task-${each}`));
    expect(runs[3]?.said).toBe(`${pids[3]} task-3`);
  });

  it('does not wait while a box runs, and is ended where a box of another kind begins', async () => {
    await run(first, 'a');
    await run(first, 'b');
    // One of the first kind waits now, and this is none.
    expect(await ahead.take(of(second))).toBeNull();
    expect(readdirSync(of(first).scratch)).toEqual([]);
    expect(await ahead.take(of(first))).toBeNull();
    ahead.containerEnded(of(first));
    // The other still runs.
    expect(await ahead.take(of(first))).toBeNull();
  });

  it('ends when nothing has come for it in its time, with its folder', async () => {
    await ahead.stop();
    ahead = createWarmContainerPool(500);
    await run(first, 'a');
    await run(first, 'b');
    const process = await run(first, 'c').then((one) => one.process);
    expect(process).not.toBeNull();
    const folders = () => readdirSync(of(first).scratch);
    await expect.poll(folders, { interval: 5 }).toHaveLength(1);
    await expect.poll(folders, { timeout: 10_000 }).toEqual([]);
    expect((await run(first, 'd')).process).toBeNull();
  });

  it('that has died while it waited is not used', async () => {
    const dead = `process.getBuiltinModule('node:fs').writeFileSync('${directory.path}/died', String(process.pid)); process.exit(1);`;
    writeFileSync(join(directory.path, 'main.mjs'), `if (process.env.ASSAY_WARM_START) { ${dead} }${WAITS}`);
    await run(first, 'a');
    await run(first, 'b');
    // Gone, and we have heard of it.
    const isGone = (): boolean => {
      try {
        return !process.kill(Number(readFileSync(join(directory.path, 'died'), 'utf8')), 0);
      } catch (error) {
        return error instanceof Error && 'code' in error && error.code === 'ESRCH';
      }
    };
    await expect.poll(isGone, { timeout: 10_000 }).toBe(true);
    expect((await run(first, 'c')).process).toBeNull();
  });

  it('ends with the machine that started it', async () => {
    await run(first, 'a');
    await run(first, 'b');
    await ahead.stop();
    expect(readdirSync(of(first).scratch)).toEqual([]);
  });
});
