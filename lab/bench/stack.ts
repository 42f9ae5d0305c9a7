import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ApiRouteClient, createApiRouteClient } from '../../cli/client.ts';
import { spawnLocalStack } from '../../cli/local-stack.ts';
import { computeBill } from './aws-bill.ts';
import { measureBundles } from './bundles.ts';
import { createStackControl } from './stack-control.ts';
import type { StackResult } from './stack-sections.ts';
import { collectTaskTimings, type SentTask, sendTask, summarizeTimings } from './task-latency.ts';

/** Tasks one after the other, for the figures at 1; and at the same time, for the figures at 50. */
const ALONE = 30;
const TOGETHER = 50;
const WARM_UP = 3;

/** A repository with one commit and no assay.yaml: no gates. */
export function createEmptyRepository(folder: string): string {
  const bare = join(folder, 'repository.git');
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], {
      cwd: folder,
    });
  };
  git('init', '--quiet', '--initial-branch=main', 'work');
  git('-C', 'work', 'commit', '--quiet', '--allow-empty', '--message', 'nothing');
  git('clone', '--quiet', '--bare', 'work', bare);
  return pathToFileURL(bare).href;
}

async function measureTasks(
  folder: string,
  say: (line: string) => void,
): Promise<Omit<StackResult, 'bundles'>> {
  const repository = createEmptyRepository(folder);
  say('starting the embedded stack');
  const stack = await spawnLocalStack({ dataDir: join(folder, 'state') });
  try {
    const client: ApiRouteClient = createApiRouteClient({ ...stack.connection, source: 'the bench' });
    const control = createStackControl(stack.connection);
    const oneByOne = async (prefix: string, count: number): Promise<SentTask[]> => {
      const sent: SentTask[] = [];
      for (let index = 0; index < count; index++) {
        const one = await sendTask(client, repository, `${prefix}-${index}`);
        // Waiting asks the emulation and not the API, so that it is not in the figures.
        await control.waitForExecutions([one.id]);
        sent.push(one);
      }
      return sent;
    };
    await oneByOne('warm-up', WARM_UP);
    await control.processPendingWork();
    await control.reset();

    say(`${ALONE} tasks, one after the other`);
    const began = Date.now();
    const alone = await oneByOne('alone', ALONE);
    const aloneMs = Date.now() - began;
    await control.processPendingWork();
    const counters = await control.readCallCounts();

    say(`${TOGETHER} tasks at once`);
    const together = await Promise.all(
      Array.from({ length: TOGETHER }, (_, index) => sendTask(client, repository, `together-${index}`)),
    );
    await control.waitForExecutions(together.map(({ id }) => id));
    const all = await collectTaskTimings(client, together);
    return {
      alone: summarizeTimings((await collectTaskTimings(client, alone)).timings, aloneMs),
      together: summarizeTimings(all.timings, all.lastEnd - Math.min(...together.map(({ at }) => at))),
      counted_tasks: ALONE,
      counters,
      bill: computeBill(counters),
    };
  } finally {
    await stack.stop();
  }
}

/** Measures tasks on the embedded stack, and the bundles that it runs. */
export async function benchStack(say: (line: string) => void): Promise<StackResult> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  try {
    const measured = await measureTasks(folder, say);
    say('bundles');
    const built = join(import.meta.dirname, '../../.build/functions');
    return { ...measured, bundles: measureBundles(built) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
