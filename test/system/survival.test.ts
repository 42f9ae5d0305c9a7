import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainRow, NudgeRow } from '../../shared/ledger/rows.ts';
import { agent, PROJECT, Repository, RIGHT, uses, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
beforeEach(async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start();
});
afterEach(async () => {
  await stack.stop();
  repository.remove();
});

const appears = async (path: string): Promise<void> => {
  const deadline = Date.now() + 30_000;
  while (!existsSync(path)) {
    if (Date.now() > deadline) throw new Error(`${path} never appeared\n${stack.log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Everything that must be true of a task that was interrupted: it ended well, and each fact happened once. */
async function expectWhole(id: string): Promise<void> {
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', branch: `assay/${id}` });
  expect(repository.commitsAbove('main', `assay/${id}`)).toBe(1);
  const attempts = await stack.attempts(id);
  expect(attempts.map((attempt) => attempt.number)).toEqual(attempts.map((_, index) => index + 1));
  expect(attempts.filter((attempt) => attempt.outcome === 'passed')).toHaveLength(1);
  const once = (rows: { record_id: string; task_id: string }[]): string[] => [
    ...new Set(rows.filter((row) => row.task_id === id).map((row) => row.record_id)),
  ];
  expect(once(await stack.records<ChainRow>('cascade_chains'))).toHaveLength(1);
  expect(once(await stack.records<NudgeRow>('verification_nudges'))).toHaveLength(1);
  const status = (await stack.call<{ verification_nudge: { total_completions: number } }>('GET', '/status'))
    .body;
  expect(status.verification_nudge.total_completions).toBe(1);
}

describe('a stack killed in mid-work and started again', () => {
  it('finishes the task whose agent was running', async () => {
    const started = join(repository.folder, 'agent-started');
    const go = join(repository.folder, 'go');
    const patient = agent(
      `fs.appendFileSync(${JSON.stringify(started)}, 'x'); while (!fs.existsSync(${JSON.stringify(go)})) await new Promise((r) => setTimeout(r, 20)); ${writes('src/sum.js', RIGHT)} ${uses(10, 10)}`,
    );
    const { id } = await stack.submit({
      title: 'Make sum add',
      repository: repository.url,
      adapter: patient,
    });
    await appears(started);
    await stack.kill();
    writeFileSync(go, '');
    await stack.restart();
    await expectWhole(id);
    const attempts = await stack.attempts(id);
    expect(attempts.map((attempt) => [attempt.tier, attempt.outcome])).toEqual([
      ['haiku', 'infra_failed'],
      ['haiku', 'passed'],
    ]);
  });

  it('finishes the task whose gates were running, without running its agent again', async () => {
    const gates = join(repository.folder, 'gates-started');
    const go = join(repository.folder, 'go');
    const agents = join(repository.folder, 'agents');
    repository.commit('main', {
      'assay.yaml': `version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: "echo x >> ${gates}; while [ ! -e ${go} ]; do sleep 0.05; done; node --test"\n`,
    });
    const { id } = await stack.submit({
      title: 'Make sum add',
      repository: repository.url,
      adapter: agent(`fs.appendFileSync(${JSON.stringify(agents)}, 'x'); ${writes('src/sum.js', RIGHT)}`),
    });
    await appears(gates);
    await stack.kill();
    writeFileSync(go, '');
    await stack.restart();
    await expectWhole(id);
    expect(readFileSync(agents, 'utf8')).toBe('x');
  });

  it('goes on with what was waiting: open, blocked and done tasks are as they were', async () => {
    const solves = agent(writes('src/sum.js', RIGHT));
    const done = await stack.submit({ title: 'Done before', repository: repository.url, adapter: solves });
    await stack.ended(done.id);
    const external = await stack.submit({
      title: 'For a person',
      repository: repository.url,
      runner: 'external',
      role: 'qa',
    });
    const blocked = await stack.submit({
      title: 'After the person',
      repository: repository.url,
      adapter: solves,
      depends_on: [external.id],
    });
    await stack.kill();
    await stack.restart();
    expect((await stack.task(done.id)).status).toBe('done');
    expect((await stack.task(blocked.id)).status).toBe('blocked');
    const claim = await stack.call<{ task: { id: string } }>('GET', '/tasks/next/qa');
    expect(claim.body.task.id).toBe(external.id);
  });
});

describe('a stack that delivers everything twice and out of order', () => {
  it('brings ten tasks to their end, each attempt, delivery and completion once', async () => {
    await stack.faults({
      duplicateMessages: true,
      duplicateStream: true,
      shuffle: true,
      runTaskCapacityFailures: 2,
    });
    const runs = join(repository.folder, 'runs');
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) {
      const solves = agent(
        `fs.appendFileSync(${JSON.stringify(runs)}, '${index} ' + model + '\\n'); ${writes(`src/extra-${index}.js`, `export const value = ${index};\n`)} ${writes('src/sum.js', RIGHT)} ${uses(10, 10)}`,
      );
      ids.push(
        (
          await stack.submit({
            title: `Task ${index}`,
            repository: repository.url,
            adapter: solves,
            ...(index >= 5 ? { depends_on: [ids[index - 5]] } : {}),
          })
        ).id,
      );
    }
    for (const id of ids)
      expect(await stack.ended(id)).toMatchObject({
        status: 'done',
        attempt_count: 1,
        branch: `assay/${id}`,
      });
    for (const id of ids) expect(repository.commitsAbove('main', `assay/${id}`)).toBe(1);
    expect(readFileSync(runs, 'utf8').trim().split('\n')).toHaveLength(10);
    const status = (
      await stack.call<{ verification_nudge: { total_completions: number; unverified_count: number } }>(
        'GET',
        '/status',
      )
    ).body;
    expect(status.verification_nudge).toMatchObject({ total_completions: 10, unverified_count: 0 });
    const nudges = await stack.records<NudgeRow>('verification_nudges');
    expect(new Set(nudges.map((row) => row.record_id)).size).toBe(10);
  });
});
