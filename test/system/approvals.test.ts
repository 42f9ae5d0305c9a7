import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PendingApprovalItem } from '../../shared/api/approval-schemas.ts';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import type { WorkRequestView } from '../../shared/api/work-request-schemas.ts';
import { PROJECT, Repository, RIGHT } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
const folder = mkdtempSync(join(tmpdir(), 'assay-approvals-'));

beforeAll(async () => {
  repository = new Repository(PROJECT);
  writeFileSync(join(folder, 'sum.js'), RIGHT);
  // Mends the code, asks whether it may deploy, and only then writes down that it has.
  writeFileSync(
    join(folder, 'agent.sh'),
    `if grep -q 'deploy:production .*approved by' "$ASSAY_PROMPT_FILE"; then echo deployed > DEPLOYED.md; echo did it; exit; fi
cp ${folder}/sum.js src/sum.js
echo '{"action":"deploy:production","title":"Ship it"}' > "$ASSAY_APPROVAL_FILE"; sleep 600
`,
  );
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

const submit = async (id: string): Promise<TaskView> =>
  (
    await stack.call<TaskView>('POST', '/tasks', {
      id,
      title: 'Mend sum',
      repository: repository.url,
      files: ['src/sum.js', 'DEPLOYED.md'],
      adapter: { kind: 'command', argv: ['bash', join(folder, 'agent.sh')], timeout_s: 60 },
      completion_signals: [{ type: 'test_passes', command: 'node --test' }],
    })
  ).body;

describe('work that is asked for', () => {
  it('becomes a task after a yes, with all that it has to fulfil', async () => {
    const asked = await stack.call<WorkRequestView>('POST', '/requests', {
      title: 'Mend sum',
      repository: repository.url,
      acceptance_criteria: ['2 + 2 is 4'],
      adapter: { kind: 'command', argv: ['true'], timeout_s: 60 },
    });
    const { id } = asked.body;
    expect([asked.status, asked.body.status]).toEqual([201, 'submitted']);
    expect(
      (await stack.call('POST', `/requests/${id}/clarify`, { clarification: 'integers only' })).status,
    ).toBe(200);
    expect((await stack.call('POST', `/requests/${id}/approve`, {})).status).toBe(202);
    const task = await stack.until(id, 'its task', (each) => each.id === id);
    expect(task.acceptance_criteria).toEqual(['2 + 2 is 4']);
    expect(task.description).toContain('integers only');
    await stack.ended(id);
    expect((await stack.call<WorkRequestView>('GET', `/requests/${id}`)).body).toMatchObject({
      status: 'task_created',
      task_id: id,
    });
  });
});

describe('an agent that asks for leave in mid-run', () => {
  it('waits without a box, goes on where it was after a yes, and is verified and delivered as any other', async () => {
    await submit('ship');
    const parked = await stack.until('ship', 'waiting for leave', ({ status }) => status === 'auth_required');
    expect(parked.attempt_count).toBe(1);
    const { body } = await stack.call<{ approvals: PendingApprovalItem[] }>('GET', '/approvals');
    expect(body.approvals).toMatchObject([
      {
        id: 'ship',
        urgency: 'high',
        approval: { action: 'deploy:production', risk: 'critical', status: 'pending' },
      },
    ]);
    const word = () => stack.call('POST', '/approvals/ship/approve', { reason: 'after hours', number: 1 });
    expect((await word()).status).toBe(200);
    expect((await word()).status).toBe(200);
    expect((await stack.call('POST', '/approvals/ship/deny', { reason: 'too late' })).status).toBe(409);
    const done = await stack.ended('ship');
    expect(done).toMatchObject({ status: 'done', verified: true, attempt_count: 1, branch: 'assay/ship' });
    expect(repository.show('assay/ship', 'DEPLOYED.md')).toBe('deployed');
    expect(repository.show('assay/ship', 'src/sum.js')).toContain('a + b');
  });

  it('is cancelled by a no', async () => {
    await submit('stay');
    await stack.until('stay', 'waiting for leave', ({ status }) => status === 'auth_required');
    expect((await stack.call('POST', '/approvals/stay/deny', { reason: 'not today' })).status).toBe(200);
    expect((await stack.call<TaskView>('GET', '/tasks/stay')).body).toMatchObject({
      status: 'cancelled',
      failure: { code: 'approval_denied' },
    });
  });
});
