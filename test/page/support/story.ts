import type * as z from 'zod';
import type { AttemptList, TaskSummary, TaskView } from '../../../shared/api/task-schemas.ts';
import { attemptListView, taskView } from '../../../shared/api/task-views.ts';
import type { Attempt } from '../../../shared/contract/task/attempt.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../shared/contract/task/status.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { buildVerificationNudge } from '../../../shared/control/ledger/verification-nudge.ts';
import { addSeconds, attempt, fakeSha1, task, verdict } from '../../support/builders.ts';
import { buildCompletions } from '../../support/completions.ts';
import type { ScriptedApi } from './scripted-api.ts';

const ARTIFACT = {
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
  patch_key: 'artifacts/T1/1/patch.diff',
  patch_sha256: 'c'.repeat(64),
  patch_bytes: 1_234,
  transcript_key: 'artifacts/T1/1/transcript.log',
};
const gate = (name: string, fields: object = {}) => ({
  name,
  kind: 'executed' as const,
  outcome: 'passed' as const,
  required: true,
  blocked: false,
  cached: false,
  duration_ms: 4_200,
  detail: '',
  finding_count: 0,
  facts: {},
  ...fields,
});

/** An attempt that was checked: by two gates, one of which could not run. */
export const checkedAttempt = (number: number, fields: Partial<Attempt> = {}): Attempt =>
  attempt({
    number,
    started_at: addSeconds(number * 300).toISOString(),
    ended_at: addSeconds(number * 300 + 200).toISOString(),
    outcome: 'failed',
    cost_usd: 0.0123 * number,
    usage: { input_tokens: 1_000, output_tokens: 200, cache_read_tokens: 0, cache_write_tokens: 0 },
    report: {
      status: 'completed',
      summary: 'I have rounded the price as asked, and all tests pass.',
      failure_code: null,
      output_tail: '',
      retry_after_s: null,
      at: addSeconds(number * 300 + 90).toISOString(),
    },
    artifact: ARTIFACT,
    verification: {
      key: 'evidence/T1/1/evidence.json',
      tree: fakeSha1('b'),
      base_commit: fakeSha1('a'),
      signals: [
        {
          type: 'test_passes',
          subject: 'test_passes: npm test',
          kind: 'executed',
          outcome: 'failed',
          detail: '1 of 9 failed',
        },
      ],
      gates: [
        gate('tests', {
          outcome: 'failed',
          blocked: true,
          detail: 'price.test.ts: rounds half up',
          findings: 1,
        }),
        gate('lint', { duration_ms: 900 }),
        gate('security_scan', {
          outcome: 'could_not_run',
          detail: 'semgrep is not installed',
          duration_ms: 20,
        }),
      ],
      files_with_findings: [],
      failed_checks: [],
      restored_file_count: 0,
      protected_files: [],
      duration_ms: 6_000,
      at: addSeconds(number * 300 + 180).toISOString(),
    },
    verdict: verdict({
      verdict: 'fail',
      reasons: [
        {
          code: 'gate_failed',
          subject: 'tests',
          message: 'tests: price.test.ts: rounds half up\nexpected 3, got 2',
        },
      ],
    }),
    decision: {
      action: 'escalate',
      reason: 'janitor verification failed',
      next_model: 'claude-sonnet-4-5',
      next_tier: 'sonnet',
      at: addSeconds(number * 300 + 200).toISOString(),
    },
    ...fields,
  });

/** A task that waits for a person, after two attempts. */
export const heldTask = (fields: Partial<Task> = {}): Task =>
  task(
    {
      status: 'in_review',
      version: 7,
      attempts: [
        checkedAttempt(1),
        checkedAttempt(2, {
          outcome: null,
          ended_at: null,
          model: 'claude-sonnet-4-5',
          tier: 'sonnet',
          decision: {
            action: 'refer',
            reason: 'judge was not sure',
            next_model: null,
            next_tier: null,
            at: addSeconds(800).toISOString(),
          },
          verdict: verdict({
            verdict: 'refer',
            reasons: [
              {
                code: 'gate_could_not_run',
                subject: 'security_scan',
                message: 'security_scan could not run',
              },
            ],
          }),
        }),
      ],
      hold: { reasons: ['security_scan could not run'], since: addSeconds(800).toISOString() },
      ...fields,
    },
    { title: 'Round prices half up', description: 'Prices are cut off.\nThey should be rounded half up.' },
  );

const summaryOf = (view: TaskView): TaskSummary => view;
const rowOf = (one: Task): TaskSummary => summaryOf(taskView(one));

const TITLES = [
  'Round prices half up',
  'Add a retry to the importer',
  'Describe the API',
  'Make the list stable',
  'Take the cache out',
];
const SPREAD: readonly TaskStatus[] = [
  'in_review',
  'in_progress',
  'open',
  'blocked',
  'failed',
  'done',
  'done',
];

/** Tasks in all statuses, the first of which is `heldTask`. */
export const manyTasks = (count: number): TaskSummary[] =>
  Array.from({ length: count }, (_, index) => {
    if (index === 0) return rowOf(heldTask());
    const status = SPREAD[index % SPREAD.length] ?? 'open';
    const ended = ['failed', 'done'].includes(status) ? addSeconds(index).toISOString() : null;
    const made = task(
      {
        id: `T${index + 1}`,
        status,
        created_at: addSeconds(-index * 60).toISOString(),
        ended_at: ended,
        flagged_unverified: status === 'done' && index % 3 === 0,
        failure: status === 'failed' ? { code: 'budget_exhausted', message: 'no attempt passed' } : null,
      },
      { title: `${TITLES[index % TITLES.length]} ${index}` },
    );
    return rowOf(made);
  });

/** Answers of an API that has these tasks. */
export function tell(
  api: ScriptedApi,
  tasks: readonly TaskSummary[],
  unverified = 1,
  chains: ReadonlyMap<string, Task> = new Map([['T1', heldTask()]]),
): void {
  const isLive = ({ status }: TaskSummary): boolean => !['done', 'failed', 'cancelled'].includes(status);
  const statusBody = {
    total: tasks.length,
    by_status: Object.fromEntries(
      TASK_STATUSES.map((status) => [status, tasks.filter((each) => each.status === status).length]),
    ),
    per_role: [],
    verification_nudge: buildVerificationNudge(buildCompletions(4, unverified)),
    breakers: [],
    generated_at: '2026-11-20T10:00:00.000Z',
  };
  const tag = `"${tasks.length}-${unverified}-${Math.random()}"`;
  api.answers.set('GET /status', () => ({ etag: tag, body: statusBody }));
  api.answers.set('GET /tasks', ({ query }) => {
    const wanted = tasks.filter((each) => isLive(each) === (query.get('live') === 'true'));
    const from = Number(query.get('cursor') ?? 0);
    const limit = Number(query.get('limit'));
    const next = from + limit < wanted.length && query.get('live') === 'true' ? String(from + limit) : null;
    return { body: { tasks: wanted.slice(from, from + limit), next_cursor: next } };
  });
  for (const [id, one] of chains) {
    const chain: z.infer<typeof AttemptList> = attemptListView(one);
    api.answers.set(`GET /tasks/${id}`, () => ({ etag: `"${one.version}"`, body: taskView(one) }));
    api.answers.set(`GET /tasks/${id}/attempts`, () => ({ body: chain }));
    api.answers.set(`GET /tasks/${id}/artifact`, ({ query }) => ({
      body: { kind: query.get('kind'), bytes: 0, offset: 0, next_offset: null, encoding: 'utf-8', text: '' },
    }));
  }
}
