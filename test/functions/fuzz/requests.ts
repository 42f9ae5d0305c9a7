import type { ApiCaller, RouteName } from '../../../shared/api/routes.ts';
import { WorkRequestTaskSubmission } from '../../../shared/contract/intake/schema.ts';
import { TABLE_ITEM_KEY_PREFIXES } from '../../../shared/contract/resource-names.ts';
import type { Attempt } from '../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { addFailedOperation, EMPTY_RETRY_QUEUE } from '../../../shared/control/dead-letters/retry-queue.ts';
import type { TuningState } from '../../../shared/control/tune/proposals.ts';
import { itemKey } from '../../../shared/store/item-table.ts';
import { workRequestToItem } from '../../../shared/store/work-requests.ts';
import * as build from '../../support/builders.ts';

export const DEAD_LETTER = 'T1.agent-1-1';
const SHA = build.fakeSha1('a');
const TREE = build.fakeSha1('b');
const DIGEST = 'c'.repeat(64);
const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };

const submission = {
  id: 'T2',
  title: 'Fix it',
  description: 'It is broken.',
  role: 'backend',
  priority: 1,
  scope: 'small',
  complexity: 'low',
  estimated_minutes: 5,
  repository: 'https://example.test/r.git',
  base_ref: 'main',
  depends_on: ['T1'],
  files: ['src/a.ts'],
  expected_changes: ['ci'],
  acceptance_tests: 'gate',
  challenge: 'advise',
  completion_signals: [
    { type: 'path_exists', path: 'a' },
    { type: 'glob_exists', pattern: '*.ts' },
    { type: 'file_contains', path: 'a', contains: 'b' },
    { type: 'file_contains', path: 'a', regex: 'b+' },
    { type: 'test_passes', command: 'npm test', timeout_s: 60 },
    { type: 'test_passes', value: 'npm test' },
    { type: 'llm_review', instructions: 'Is it tested?', on_error: 'block' },
    { type: 'llm_judge', criteria: 'It sells', on_error: 'hold' },
    {
      type: 'api_responds',
      command: 'npm start',
      url: 'http://127.0.0.1:8080/',
      status: 200,
      contains: 'apples',
      timeout_s: 5,
    },
    { type: 'quality_gate', criteria: 'It sells', threshold: 3, foundation: true, on_error: 'hold' },
  ],
  hidden_tests: {
    kind: 'files',
    files: [{ path: 'test/a.test.js', content: 'QQ==', encoding: 'base64', executable: false }],
  },
  exam: {
    command: 'node --test test/exam.test.js',
    points: [{ requirement: 'It sells', test: 'exam: it sells', on_base: 'fails' }],
    files: [{ path: 'test/exam.test.js', content: 'QQ==', encoding: 'base64', executable: false }],
    open: ['the price'],
    questions: [],
    confidence: 0.9,
    keeps_behaviour: false,
  },
  acceptance_criteria: ['It works'],
  model: 'haiku',
  effort: 'low',
  adapter: { kind: 'command', argv: ['agent', '{prompt}'], timeout_s: 60 },
  runner: 'managed',
  budget: { max_attempts: 3, max_cost_usd: 2.5 },
  max_retries: 2,
  max_fix_ups: 1,
  partial_dependencies: 'strict',
  deliver_unverified: false,
  delivery: 'merge_queue',
  autonomy: 'semi',
  workflow: 'verification-pipeline',
  middleware_override: ['authority_deference'],
  error_action_overrides: { rate_limited: 'fail' },
};
const { id: _id, hidden_tests: _hidden, exam: _exam, ...requirement } = submission;
/** What was wrapped around a run. */
const middleware = {
  chain: ['authority_deference', 'security_interceptor'],
  hook_counts: { before_agent: 1, wrap_tool_call: 2 },
  findings: [
    { middleware: 'security_interceptor', kind: 'observed', code: 'tool_denied', detail: 'd', turn: 1 },
  ],
  findings_omitted: 1,
  facts: { 'authority_deference.detected_count': 0 },
};
/** How the program of an agent ended. */
const end = {
  exit_code: 1,
  signal: 'SIGKILL',
  timed_out: true,
  http_status: 429,
  error_code: 'overloaded_error',
  failure_text_source: 'summary',
};
const evidence = build.evidence({
  signals: [
    build.signal(),
    build.signal({ by_author: true }),
    build.signal({ signal: { type: 'glob_exists', pattern: '*' } }),
    build.signal({ signal: { type: 'file_contains', path: 'a', contains: 'b' } }),
    build.signal({ signal: { type: 'file_contains', path: 'a', regex: 'b' } }),
    build.signal({ signal: { type: 'test_passes', command: 'true', timeout_s: 60 } }),
    build.signal({ signal: { type: 'llm_review', instructions: 'q', on_error: 'hold' } }),
    build.signal({ signal: { type: 'llm_judge', criteria: 'c', on_error: 'hold' } }),
    build.signal({
      signal: {
        type: 'api_responds',
        command: 'c',
        url: 'http://127.0.0.1:8080/',
        status: 200,
        contains: 'a',
        timeout_s: 5,
      },
    }),
    build.signal({
      signal: { type: 'quality_gate', criteria: 'c', threshold: 3, foundation: true, on_error: 'hold' },
    }),
  ],
  gates: [
    build.gate({
      start_offset_ms: 1,
      findings: [{ file: 'a', line: 1, rule: 'r', message: 'm', test: 't', baseline: 'new' }],
      facts: { tool: 'ruff' },
      on_error: 'hold',
      screenshots: [
        { name: 'start', path: '/', width: 640, height: 480, sha256: 'a'.repeat(64), bytes: 1_024 },
      ],
    }),
    build.gate({
      independent: {
        mode: 'gate',
        points: [
          { index: 0, requirement: 'Empty baskets cost nothing.', result: { outcome: 'not_met' } },
          { index: 1, requirement: 'Taxes round up.', result: { outcome: 'not_run', reason: 'timed_out' } },
        ],
        counterexamples: [
          {
            index: 0,
            kind: 'requirement',
            requirement: 'Empty baskets cost nothing.',
            file: 'a',
            line: 1,
            input: 'price([])',
            neighbours: 2,
            result: { outcome: 'dropped', reason: 'minor' },
          },
        ],
        open: ['currencies'],
        questions: ['Which currency?'],
        requirements: { total: 2, tested: 1, met: 0, not_met: ['Empty baskets cost nothing.'] },
        challenge: {
          outcome: 'counterexample',
          p_wrong: 0.9,
          requirements: [{ requirement: 'Taxes round up.', state: 'met', file: 'a', line: 1 }],
        },
      },
    }),
  ],
  review_context: { parts: [{ kind: 'change', path: 'a', text: 't' }], omitted: ['caller b: 9 characters'] },
  changed_files_total: 1,
  expected_changes: ['ci'],
  challenge: {
    mode: 'gate',
    tasks: { risk: true, paths: ['src/**'], min_changed_files: 2 },
    timeout_s: 60,
    cost_share: 1,
    min_usd: 0.25,
    refer_above: 0.8,
  },
  review_pipeline: {
    version: 1,
    pass_threshold: 0.5,
    block_on_fail: true,
    on_error: 'hold',
    stages: [
      {
        name: 'first',
        parallelism: 2,
        agents: [{ role: 'security', model: 'm', prompt_template: 'Is it safe?' }],
        aggregator: { strategy: 'weighted', weights: {}, pass_threshold: 0.6 },
      },
    ],
  },
  protected_files: [
    {
      path: 'ci.yml',
      change: 'added',
      kind: 'ci',
      reason: 'r',
      checked_version: 'base',
      allowed_by: null,
      review_reason: 'r',
    },
  ],
});

const planned = {
  goal: 'Sell apples, too.',
  autonomy: 'semi',
  acceptance_criteria: ['Apples can be bought'],
  coordination: {
    chain: ['clarification_gate'],
    clarification_gate: { enabled: true, min_criterion_length: 5, match_mode: 'search' },
    replan_strategy: 'magentic',
  },
  max_tasks: 5,
  repository: submission.repository,
  base_ref: 'main',
  adapter: submission.adapter,
  model: 'opus',
  effort: 'low',
  budget: submission.budget,
};
const proposal = {
  tasks: [
    {
      key: 'a',
      title: 'Sell',
      description: 'Apples.',
      role: 'backend',
      priority: 1,
      scope: 'small',
      complexity: 'low',
      depends_on: [],
      files: ['src'],
      new_files: ['src/a.ts'],
      expected_changes: ['ci'],
      completion_signals: submission.completion_signals,
      acceptance_criteria: ['It sells'],
    },
    { key: 'b', title: 'Buy', depends_on: ['a'], completion_signals: [{ type: 'path_exists', path: 'b' }] },
  ],
  notes: [{ key: 'a', message: 'passes already' }],
};
const elsewhere = { kind: 'git', repository: 'https://example.test/h.git', ref: 'main', folder: 'shop' };

/** Bodies that each route takes, which have all of its fields among them. */
export const BODIES: Partial<Record<RouteName, readonly unknown[]>> = {
  clearProvider: [{ reason: 'the key was exchanged' }],
  pinTier: [
    { tier: 'opus', complexity: 'low', reason: 'better' },
    { tier: null, reason: 'no more' },
  ],
  proposeChange: [
    { reason: 'what the records suggest' },
    { change: { kind: 'threshold', name: 'quality_threshold', value: 0.6 }, reason: 'it skips what pays' },
    { change: { kind: 'threshold', name: 'min_observations', value: 8 }, reason: 'it concludes too soon' },
    { change: { kind: 'route', role: 'backend', complexity: 'low', tier: 'sonnet' }, reason: 'haiku fails' },
    { change: { kind: 'prompt', role: 'backend', text: 'Run the tests.' }, reason: 'lint fails most' },
    { change: { kind: 'gate', gate: 'lint', required: false }, reason: 'people overrule it' },
  ],
  applyProposal: [{ proposal: 'p2', reason: 'its numbers' }],
  revertProposal: [{ proposal: 'p1', reason: 'worse' }],
  retryDeadLetter: [{ reason: 'the subnet is back' }],
  resolveDeadLetter: [{ reason: 'the rows are there' }],
  abandonDeadLetter: [{ reason: 'it was for a test' }],
  resetVerification: [{ reason: 'anew' }],
  resetBeliefs: [{ tier: 'haiku', reason: 'anew' }],
  submitTask: [
    submission,
    {
      ...submission,
      adapter: { kind: 'claude', timeout_s: 60, max_turns: 5 },
      hidden_tests: elsewhere,
    },
  ],
  submitBatch: [
    {
      tasks: [
        { ...submission, depends_on: [] },
        {
          title: 'a',
          repository: submission.repository,
          adapter: { kind: 'claude', max_turns: 5 },
          hidden_tests: elsewhere,
        },
      ],
    },
  ],
  submitPlan: [planned, { ...planned, adapter: { kind: 'claude', timeout_s: 60, max_turns: 5 } }],
  submitRequest: [
    { ...requirement, strategy: 'review' },
    { ...requirement, adapter: { kind: 'claude', timeout_s: 60, max_turns: 5 } },
  ],
  rejectRequest: [{ reason: 'r' }],
  clarifyRequest: [{ clarification: 'n', title: 't', description: 'd' }],
  approvePlan: [{ reason: 'r', tree: TREE }],
  rejectPlan: [{ reason: 'r', tree: TREE }],
  claimNext: [{ model: 'opus' }],
  claimTask: [{ model: 'opus' }],
  heartbeat: [{}],
  progress: [{ message: 'm', percent: 50 }],
  upload: [{ kind: 'patch', sha256: DIGEST, bytes: 10 }],
  memory: [{ kind: 'results', hash: DIGEST }],
  requestApproval: [
    {
      action: 'deploy:production',
      title: 't',
      description: 'd',
      parked_work: { tree: TREE, patch_sha256: DIGEST, patch_bytes: 10 },
      parked_session: { id: 's-1', sha256: DIGEST },
    },
  ],
  approve: [{ reason: 'r', number: 1 }],
  deny: [{ reason: 'r', number: 1 }],
  complete: [
    {
      summary: 's',
      output_tail: 'o',
      usage,
      model: 'opus',
      base_commit: SHA,
      tree: TREE,
      patch: 'p',
      transcript_sha256: DIGEST,
      unreported_calls: 1,
      exit: end,
      logged_test_runs: [
        { tool: 'pytest', kind: 'claimed', passed: 1, failed: 1, skipped: 0, failed_tests: ['test/a.py::b'] },
      ],
      middleware,
      verification_gate: {
        state: 'forced',
        reason: 'b',
        nudges: { tests: 1, compilation: 0 },
        missing: ['test/a.test.js'],
      },
    },
    { summary: 's', tree: TREE, patch_sha256: DIGEST, patch_bytes: 10 },
  ],
  fail: [
    {
      reason: 'r',
      failure_code: 'timeout',
      output_tail: 'o',
      usage,
      unreported_calls: 1,
      transcript_sha256: DIGEST,
      base_commit: SHA,
      retry_after_s: 5,
      exit: end,
      middleware,
    },
  ],
  evidence: [{ evidence: { ...evidence, plan: proposal } }, { failure_code: 'container_lost', message: 'm' }],
  challenge: [
    ...evidence.gates.map((entry) => ({ entry })),
    { failure_code: 'container_lost', message: 'm' },
  ],
  delivery: [
    { step: 'authorize', base_commit: SHA, tree: TREE },
    { step: 'refused', base_commit: SHA, tree: TREE, reason: 'r' },
    {
      step: 'reverts',
      reverts: [
        { task_id: 'T2', reverted_commit: SHA, request: 7, commit: SHA, at: build.FIXED_NOW.toISOString() },
        { task_id: null, reverted_commit: null, request: 7, commit: SHA, at: build.FIXED_NOW.toISOString() },
      ],
    },
    {
      step: 'delivered',
      base_commit: SHA,
      tree: TREE,
      commit: SHA,
    },
    {
      step: 'merged',
      base_commit: SHA,
      tree: TREE,
      target_commit: build.fakeSha1('d'),
      merged_tree: TREE,
      patch_sha256: DIGEST,
      patch_bytes: 10,
    },
    { step: 'conflict', base_commit: SHA, tree: TREE, target_commit: build.fakeSha1('d'), files: ['a.js'] },
  ],
  release: [{ reason: 'r' }],
  cancel: [{ reason: 'r' }],
  retry: [{ reason: 'r' }],
  verify: [{ reason: 'r' }],
  review: [{ decision: 'approve', reason: 'r', base_commit: SHA, tree: TREE }],
};

/** Who asks; the first caller of a route that is not the operator where there is one. */
export const CALLER: Partial<Record<RouteName, ApiCaller>> = {
  heartbeat: 'agent',
  progress: 'agent',
  requestApproval: 'agent',
  upload: 'agent',
  memory: 'gates',
  complete: 'agent',
  fail: 'agent',
  release: 'agent',
  evidence: 'gates',
  challenge: 'challenger',
  delivery: 'deliver',
};

const launches = {
  agent: build.launch(),
  gates: build.launch(),
  challenger: build.launch(),
  deliver: build.launch(),
};
const accepted: Partial<Attempt> = {
  ...launches,
  verdict: build.verdict(),
  decision: {
    action: 'accept',
    reason: 'r',
    next_model: null,
    next_tier: null,
    at: build.FIXED_NOW.toISOString(),
  },
};
const working = build.task({
  status: 'in_progress',
  attempts: [build.attempt({ ...launches, lease_until: 4_000_000_000 })],
});
const outside = build.task({ status: 'in_progress', attempts: working.attempts }, { runner: 'external' });
const asking = build.task({ ...working, status: 'auth_required', approvals: [build.approval()] });
const external = build.task({}, { runner: 'external' });
const pushing = {
  state: 'pushing',
  base_commit: SHA,
  tree: TREE,
  branch: 'b',
  commit: null,
  reason: null,
} as const;

/** The task T1 as each route needs it to do something. */
export function taskFor(name: RouteName, body: unknown): Task {
  switch (name) {
    case 'heartbeat':
    case 'progress':
    case 'requestApproval':
    case 'upload':
    case 'complete':
    case 'fail':
      return working;
    case 'release':
      return outside;
    case 'memory':
    case 'evidence':
    case 'challenge':
      return build.taskInReview(launches);
    case 'delivery':
      return build.taskInReview(
        accepted,
        /delivered|merged|conflict/.test((body as { step?: string }).step ?? '')
          ? { delivery_mode: 'merge_queue', delivery: { ...pushing, at: build.FIXED_NOW.toISOString() } }
          : {},
      );
    case 'approve':
    case 'deny':
      return asking;
    case 'retry':
      return build.task({ status: 'failed' });
    case 'approvePlan':
    case 'rejectPlan':
      return build.taskInReview(
        { ...launches, artifact: build.artifact() },
        {
          role: 'manager',
          plan: { max_tasks: 5, proposal: { tasks: [], notes: [] } },
          hold: { reasons: ['r'], since: build.FIXED_NOW.toISOString() },
        },
      );
    case 'verify':
      return build.taskInReview(
        { ...launches, verdict: build.verdict({ verdict: 'refer' }), verification: build.verification() },
        { hold: { reasons: ['r'], since: build.FIXED_NOW.toISOString() } },
      );
    case 'review':
      return build.taskInReview(launches, { hold: { reasons: ['r'], since: build.FIXED_NOW.toISOString() } });
    default:
      return external;
  }
}

/** What some queries cannot be without. */
export const QUERIES: Partial<Record<RouteName, Readonly<Record<string, string>>>> = {
  artifact: { kind: 'patch' },
  qualityFile: { path: 'src/a.ts' },
};

/** Of the bodies of a route those that the policy of this deployment makes meaningless, however well they are formed. */
export const MEANINGLESS: Partial<Record<RouteName, readonly number[]>> = { proposeChange: [1, 2] };

/** One that is tried, and one that could be. */
const prompted = (id: string, role: Task['role'], status: 'trial' | 'proposed') => ({
  id,
  change: { kind: 'prompt', role, text: 'Run the linter.' } as const,
  level: 'L1' as const,
  evidence: 'e',
  by: 'assay',
  at: build.FIXED_NOW.toISOString(),
  status,
  base_proposal: null,
  ...(status === 'trial' && { previous_change: null }),
  test: null,
  applied_by: status === 'trial' ? 'assay' : null,
  applied_at: status === 'trial' ? build.FIXED_NOW.toISOString() : null,
});
const tried = prompted('p1', 'backend', 'trial');
const tuning: TuningState = {
  next_number: 3,
  active_changes: { 'prompt backend': { proposal: 'p1', change: tried.change, share: 'half' } },
  proposals: [tried, prompted('p2', 'qa', 'proposed')],
  history: [],
  last_run_at: null,
};

/** What stands in the table beside the task: settings that were changed, a request with its id, and a launch that was given up. */
export const ITEMS: readonly Readonly<Record<string, unknown>>[] = [
  { ...itemKey(TABLE_ITEM_KEY_PREFIXES.tuning, 'settings'), ...tuning },
  workRequestToItem({
    id: 'T1',
    status: 'submitted',
    version: 1,
    strategy: 'review',
    requested_by: 'bob',
    request_sha256: DIGEST,
    requested_task: WorkRequestTaskSubmission.parse(requirement),
    clarification: null,
    history: [],
    reason: null,
    created_at: build.FIXED_NOW.toISOString(),
    updated_at: build.FIXED_NOW.toISOString(),
    task_id: null,
    expires_at: null,
  }),
  {
    ...itemKey(TABLE_ITEM_KEY_PREFIXES.deadLetter, 'T1'),
    ...addFailedOperation(
      EMPTY_RETRY_QUEUE,
      {
        id: DEAD_LETTER,
        operation: 'launch:agent',
        args: '{}',
        error: 'e',
        category: 'transient',
        message: 'm',
      },
      build.FIXED_NOW,
      build.FIXED_NOW,
    ),
    revision: 1,
  },
];
