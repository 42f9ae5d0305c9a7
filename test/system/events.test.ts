import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishedEvents } from '../../local/events/index.ts';
import { FileHealthList } from '../../shared/control/file-health/file-health-schemas.ts';
import { QualityMetrics } from '../../shared/control/metrics/quality-schemas.ts';
import { readRecordTables } from '../support/records/expected-query-results.ts';
import { agent, PROJECT, Repository, RIGHT, WRONG, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
});

const submit = (fields: Record<string, unknown>) =>
  stack.submit({ title: 'Make sum add', repository: repository.url, ...fields });
const seen = async (): Promise<PublishedEvents> => {
  await stack.control('POST', '/drain');
  return (await stack.control('GET', '/events')) as PublishedEvents;
};
const of = ({ events }: PublishedEvents, id: string) =>
  events.filter(({ detail }) => detail['task_id'] === id);
const solves = agent(writes('src/sum.js', RIGHT));

describe('what the deployment tells the world', () => {
  it('has an event for each end, and a mail where a person should look, however often the stream comes', async () => {
    await stack.faults({ duplicateStream: true });
    const done = await submit({ adapter: solves });
    const failed = await submit({ adapter: agent(writes('src/sum.js', WRONG)), budget: { max_attempts: 1 } });
    await Promise.all([stack.ended(done.id), stack.ended(failed.id)]);
    const all = await seen();
    const names = (id: string) => [...new Set(of(all, id).map((event) => event['detail-type']))];
    expect(names(done.id)).toEqual(['Task Done']);
    expect(of(all, done.id)[0]).toMatchObject({
      bus: 'Assay',
      source: 'assay',
      detail: { verified: true, branch: `assay/${done.id}`, commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(names(failed.id)).toEqual(['Task Failed', 'Budget Spent']);
    const ids = (id: string) => new Set(of(all, id).map(({ detail }) => detail['event_id']));
    expect([ids(done.id).size, ids(failed.id).size]).toEqual([1, 2]);
    const told = all.messages.filter(({ message }) => message.includes(failed.id));
    expect(told[0]?.message).toMatch(/^Task \S+ \(Make sum add\) has failed: /);
    expect(all.messages.some(({ message }) => message.includes(done.id))).toBe(false);
    // Figures are counted by the same reader: each end once, and the same as in the records.
    const { body } = await stack.call('GET', '/quality');
    expect(QualityMetrics.parse(body)).toMatchObject({
      overall: { total_tasks: 2, success_rate: 0.5 },
      per_role: { backend: { total_tasks: 2 } },
    });
    const { quality_gates } = readRecordTables(stack.ready.records_dir);
    const passed = quality_gates.filter(({ result }) => result === 'pass').length;
    expect(body).toMatchObject({
      guardrail_pass_rate: Math.round((passed / quality_gates.length) * 10_000) / 10_000,
    });
    // So is the health of the files that they changed.
    const health = FileHealthList.parse((await stack.call('GET', '/quality/file-health')).body);
    expect(health.files).toMatchObject([
      { path: 'src/sum.js', success_touches: 1, failure_touches: 1, bug_density_score: 50 },
    ]);
    expect(health.files[0]?.repository).toBe(repository.url);
    const touches = readRecordTables(stack.ready.records_dir).file_touches;
    expect(touches.map(({ path, outcome }) => [path, outcome]).sort()).toEqual([
      ['src/sum.js', 'accepted'],
      ['src/sum.js', 'rejected'],
    ]);
    // And the window of the nudge has each completion once.
    const { body: nudge } = await stack.call('GET', '/verification');
    expect(nudge).toMatchObject({ completions: [{ task_id: done.id, verified: true }] });
    expect((await stack.call('POST', '/verification/reset', { reason: 'a test' })).status).toBe(200);
    expect((await stack.call('GET', '/verification')).body).toMatchObject({ completions: [] });
  });

  it('says what a task waits for a person for', async () => {
    const { id } = await submit({
      adapter: agent(`${writes('src/sum.js', RIGHT)} ${writes('other.js', 'export {};\n')}`),
      files: ['src/sum.js'],
    });
    const { hold } = await stack.until(id, 'a hold', (task) => task.hold !== null);
    const all = await seen();
    expect(of(all, id).map(({ detail }) => detail['reasons'])).toEqual(
      expect.arrayContaining([hold?.reasons]),
    );
    expect(all.messages.at(-1)?.message).toContain(`Task ${id} (Make sum add) waits for a person: `);
  });
});
