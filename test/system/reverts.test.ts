import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { FileHealthList } from '../../shared/control/file-health/file-health-schemas.ts';
import type { WorkOutcomeRow } from '../../shared/control/ledger/record-rows.ts';
import { QualityMetrics } from '../../shared/control/metrics/quality-schemas.ts';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
const folder = mkdtempSync(join(tmpdir(), 'assay-reverts-'));
beforeAll(async () => {
  repository = new Repository({ ...PROJECT, 'README.md': 'Sums.\n' });
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

const delivered = async (title: string, code: string) => {
  const { id } = await stack.submit({
    title,
    repository: repository.url,
    delivery: 'merge_queue',
    adapter: agent(code),
  });
  const task = await stack.ended(id);
  expect(task).toMatchObject({ status: 'done', delivery: { state: 'delivered' } });
  return task;
};

function revertOnMain(commit: string): string {
  const clone = join(folder, 'clone');
  repository.git('clone', '-q', repository.bare, clone);
  repository.git('-C', clone, 'revert', '--no-edit', commit);
  repository.git('-C', clone, 'push', '-q', 'origin', 'main');
  return repository.git('-C', clone, 'rev-parse', 'HEAD');
}

it('work that somebody reverts by git is a false green once the next work is delivered, and once only', async () => {
  const first = await delivered('Make sum add', writes('src/sum.js', RIGHT));
  const revert = revertOnMain(first.delivery?.commit ?? '');
  await delivered('Say more', writes('README.md', 'Sums of two.\n'));
  const rows = () => stack.records<WorkOutcomeRow>('work_outcomes');
  await vi.waitFor(async () => expect(await rows()).toHaveLength(1), { timeout: 30_000, interval: 100 });
  await delivered('Say yet more', writes('README.md', 'Sums of two numbers.\n'));
  expect(await rows()).toMatchObject([
    { task_id: first.id, outcome: 'reverted', by: 'git', request: null, commit: revert },
  ]);
  const { gate_stats } = QualityMetrics.parse((await stack.call('GET', '/quality')).body);
  expect(gate_stats['tests']).toMatchObject({ false_greens: 1 });
  const { files } = FileHealthList.parse((await stack.call('GET', '/quality/file-health')).body);
  expect(files.filter(({ reverts }) => reverts > 0)).toMatchObject([{ path: 'src/sum.js', reverts: 1 }]);
});
