import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptChainRow, VerificationNudgeRow } from '../../shared/control/ledger/record-rows.ts';
import { agent, PROJECT, Repository, RIGHT, uses, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
const begin = async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start();
};
const end = async () => {
  await stack.stop();
  repository.remove();
};

const appears = async (path: string): Promise<void> => {
  const deadline = Date.now() + 30_000;
  while (!existsSync(path)) {
    if (Date.now() > deadline) throw new Error(`${path} never appeared\n${stack.log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Everything that must be true of a task that was interrupted: it ended well, and each fact happened once. */
async function expectWhole(id: string, base: string): Promise<void> {
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', branch: `assay/${id}` });
  expect(repository.commitsAbove(base, `assay/${id}`)).toBe(1);
  const attempts = await stack.attempts(id);
  expect(attempts.map((attempt) => attempt.number)).toEqual(attempts.map((_, index) => index + 1));
  expect(attempts.filter((attempt) => attempt.outcome === 'passed')).toHaveLength(1);
  const once = (rows: { record_id: string; task_id: string }[]): string[] => [
    ...new Set(rows.filter((row) => row.task_id === id).map((row) => row.record_id)),
  ];
  expect(once(await stack.records<AttemptChainRow>('cascade_chains'))).toHaveLength(1);
  expect(once(await stack.records<VerificationNudgeRow>('verification_nudges'))).toHaveLength(1);
}

describe('a stack killed in mid-work and started again', () => {
  let inAgent: string;
  let inGates: string;
  let inPush: string;
  let done: string;
  let external: string;
  let blocked: string;
  let agents: string;

  /** One power cut finds all of them: work in a box of each kind, and work that waits. */
  beforeAll(async () => {
    await begin();
    const [agentStarted, gatesStarted, pushStarted, held, go] = [
      'agent-started',
      'gates-started',
      'push-started',
      'held',
      'go',
    ].map((name) => join(repository.folder, name)) as [string, string, string, string, string];
    agents = join(repository.folder, 'agents');
    repository.commit('slow-gates', {
      'assay.yaml': `version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: "echo x >> ${gatesStarted}; while [ ! -e ${go} ]; do sleep 0.05; done; node --test"\n`,
    });
    const submit = async (fields: Record<string, unknown>) =>
      (await stack.submit({ title: 'Make sum add', repository: repository.url, ...fields })).id;
    const solves = agent(writes('src/sum.js', RIGHT));
    done = await submit({ adapter: solves });
    await stack.ended(done);
    writeFileSync(
      join(repository.bare, 'hooks', 'update'),
      `#!/bin/sh\ngrep -qx "$1" ${held} 2>/dev/null || exit 0\necho x >> ${pushStarted}\nwhile [ ! -e ${go} ]; do sleep 0.05; done\n`,
      { mode: 0o755 },
    );
    inPush = await submit({ adapter: solves });
    writeFileSync(held, `refs/heads/assay/${inPush}\n`);
    external = await submit({ runner: 'external', role: 'qa' });
    blocked = await submit({ adapter: solves, depends_on: [external] });
    inGates = await submit({
      base_ref: 'slow-gates',
      adapter: agent(`fs.appendFileSync(${JSON.stringify(agents)}, 'x'); ${writes('src/sum.js', RIGHT)}`),
    });
    inAgent = await submit({
      adapter: agent(
        `fs.appendFileSync(${JSON.stringify(agentStarted)}, 'x'); while (!fs.existsSync(${JSON.stringify(go)})) await new Promise((r) => setTimeout(r, 20)); ${writes('src/sum.js', RIGHT)} ${uses(10, 10)}`,
      ),
    });
    await Promise.all([appears(gatesStarted), appears(agentStarted), appears(pushStarted)]);
    await stack.kill();
    writeFileSync(go, '');
    await stack.restart();
  });
  afterAll(end);

  it('finishes the task whose agent was running', async () => {
    await expectWhole(inAgent, 'main');
    const attempts = await stack.attempts(inAgent);
    expect(attempts.map((attempt) => [attempt.tier, attempt.outcome])).toEqual([
      ['haiku', 'infra_failed'],
      ['haiku', 'passed'],
    ]);
  });

  it('finishes the task whose gates were running, without running its agent again', async () => {
    await expectWhole(inGates, 'slow-gates');
    expect(readFileSync(agents, 'utf8')).toBe('x');
  });

  it('finishes the task whose push was under way, which arrives once', async () => {
    await expectWhole(inPush, 'main');
    expect(await stack.attempts(inPush)).toHaveLength(1);
  });

  it('goes on with what was waiting: open, blocked and done tasks are as they were', async () => {
    expect((await stack.task(done)).status).toBe('done');
    expect((await stack.task(blocked)).status).toBe('blocked');
    const claim = await stack.call<{ task: { id: string } }>('GET', '/tasks/next/qa');
    expect(claim.body.task.id).toBe(external);
  });

  it('has counted each completion once', async () => {
    const { body } = await stack.call<{ verification_nudge: { total_completions: number } }>(
      'GET',
      '/status',
    );
    expect(body.verification_nudge.total_completions).toBe(4);
  });
});

describe('a stack that delivers everything twice and out of order', () => {
  beforeAll(begin);
  afterAll(end);

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
    const nudges = await stack.records<VerificationNudgeRow>('verification_nudges');
    expect(new Set(nudges.map((row) => row.record_id)).size).toBe(10);
  });
});
