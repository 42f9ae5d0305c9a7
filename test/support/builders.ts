import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import type { Approval } from '../../shared/contract/approval/schema.ts';
import type {
  Evidence,
  GateEvidence,
  SignalEvidence,
  Verdict,
} from '../../shared/contract/evidence/schema.ts';
import type { Judgement } from '../../shared/contract/judgement/judgement.ts';
import { TaskSubmission, type TaskSubmissionInput } from '../../shared/contract/submission/schema.ts';
import type {
  AgentMeteredUsage,
  Attempt,
  AttemptChallenge,
  ContainerLaunch,
} from '../../shared/contract/task/attempt.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { resolveBuiltinRole } from '../../shared/control/roles/defaults.ts';
import type { AvailableAgentClis } from '../../shared/control/task-commands/adapter-problems.ts';
import { createTask } from '../../shared/control/task-commands/create.ts';

/** One builder per aggregate: valid by default, each test names only what it is about. */
export const FIXED_NOW = new Date('2026-11-20T10:00:00.000Z');
export const addSeconds = (seconds: number, from: Date = FIXED_NOW): Date =>
  new Date(from.getTime() + seconds * 1_000);
/** A deployment that can run whatever a task names. */
export const ANY_AGENTS: AvailableAgentClis = {
  defaultAdapter: { kind: 'command', argv: ['agent', '{model}'], timeout_s: 60 },
  containerClis: null,
  modelVendors: null,
  tierModels: DEFAULT_TIER_MODELS,
};
/** A bucket for requests that put nothing into it. */
export const REJECTING_OBJECTS = {
  putIfAbsent: (key: string) => Promise.reject(new Error(`nothing is to be put at ${key}`)),
};
export const fakeSha1 = (digit: string): string => digit.repeat(40);

/** Its base is named by id, so that nobody has to be asked what it is. */
export const submission = (fields: Partial<TaskSubmissionInput> = {}): TaskSubmission =>
  TaskSubmission.parse({
    title: 'Fix the rounding',
    repository: 'https://example.test/shop.git',
    base_ref: fakeSha1('a'),
    ...fields,
  });

export function task(fields: Partial<Task> = {}, request: Partial<TaskSubmissionInput> = {}): Task {
  const made = createTask(submission(request), {
    id: 'T1',
    now: FIXED_NOW,
    by: 'tester',
    requestSha256: 'f'.repeat(64),
    dependencies: new Map(),
  });
  return {
    ...made,
    base_commit: fakeSha1('a'),
    resolved_role: resolveBuiltinRole(made.role),
    base_autonomy: null,
    ...fields,
  };
}

export const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  model: 'claude-haiku-4-5',
  tier: 'haiku',
  effort: 'low',
  route: { rule: 'task', reason: 'the task names the model' },
  outcome: null,
  started_at: FIXED_NOW.toISOString(),
  ended_at: null,
  lease_holder: 'managed',
  lease_until: Math.floor(FIXED_NOW.getTime() / 1_000) + 120,
  progress: null,
  usage: null,
  cost_usd: null,
  reported_usage: null,
  metered_usage: null,
  report: null,
  artifact: null,
  verification: null,
  verification_failure: null,
  verdict: null,
  decision: null,
  agent: null,
  gates: null,
  deliver: null,
  ...fields,
});

export const launch = (fields: Partial<ContainerLaunch> = {}): ContainerLaunch => ({
  number: 1,
  token_sha256: 'd'.repeat(64),
  model_token_sha256: null,
  assignment_key: 'k',
  lost: false,
  launched_at: FIXED_NOW.toISOString(),
  ...fields,
});

export const artifact = (
  fields: Partial<NonNullable<Attempt['artifact']>> = {},
): NonNullable<Attempt['artifact']> => ({
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
  patch_key: 'artifacts/T1/1/patch.diff',
  patch_sha256: 'c'.repeat(64),
  patch_bytes: 120,
  transcript_key: null,
  ...fields,
});

export const report = (
  fields: Partial<NonNullable<Attempt['report']>> = {},
): NonNullable<Attempt['report']> => ({
  status: 'completed',
  summary: 'done',
  failure_code: null,
  output_tail: 'all good',
  retry_after_s: null,
  at: FIXED_NOW.toISOString(),
  ...fields,
});

/** What the gateway has seen of an attempt whose provider was in trouble at the end. */
export const meteredUsage = (trouble: AgentMeteredUsage['provider_error'] = null): AgentMeteredUsage => ({
  usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
  usage_by_model: {},
  cost_usd: 0,
  calls: trouble?.calls ?? 0,
  unsettled_usd: 0,
  unsettled_calls: 0,
  findings: [],
  provider_error: trouble,
});

export const verdict = (fields: Partial<Verdict> = {}): Verdict => ({
  verdict: 'pass',
  verified: true,
  reasons: [],
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
  tests_run: true,
  quality_gates_run: true,
  completion_signals_checked: false,
  ...fields,
});

export const verification = (
  fields: Partial<NonNullable<Attempt['verification']>> = {},
): NonNullable<Attempt['verification']> => ({
  key: `evidence/T1/1/evidence-1-${'e'.repeat(64)}.json`,
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
  signals: [],
  gates: [],
  protected_files: [],
  restored_file_count: 0,
  failed_checks: [],
  files_with_findings: [],
  duration_ms: 9,
  at: FIXED_NOW.toISOString(),
  ...fields,
});

export const gate = (fields: Partial<GateEvidence> = {}): GateEvidence => ({
  name: 'tests',
  outcome: 'passed',
  kind: 'executed',
  required: true,
  blocked: false,
  cached: false,
  findings: [],
  detail: 'ok',
  duration_ms: 5,
  facts: {},
  ...fields,
});

export const signal = (fields: Partial<SignalEvidence> = {}): SignalEvidence => ({
  type: 'path_exists',
  signal: { type: 'path_exists', path: 'README.md' },
  outcome: 'passed',
  kind: 'checked',
  detail: 'exists',
  duration_ms: 1,
  ...fields,
});

export const evidence = (fields: Partial<Evidence> = {}): Evidence => ({
  schema_version: 1,
  base_commit: fakeSha1('a'),
  tree: fakeSha1('b'),
  empty_patch: false,
  changed_files: ['src/a.ts'],
  signals: [],
  gates: [gate()],
  expected_changes: [],
  protected_files: [],
  gathered_at: FIXED_NOW.toISOString(),
  duration_ms: 9,
  ...fields,
});

/** A task in review with a reported attempt. */
export const taskInReview = (
  fields: Partial<Attempt> = {},
  taskFields: Partial<Task> = {},
  request: Partial<TaskSubmissionInput> = {},
): Task =>
  task(
    {
      status: 'in_review',
      attempts: [attempt({ report: report(), artifact: artifact(), ...fields })],
      ...taskFields,
    },
    request,
  );

export const approval = (fields: Partial<Approval> = {}): Approval => ({
  number: 1,
  attempt: 1,
  launch: 1,
  action: 'deploy:production',
  title: 'Deploy it',
  description: '',
  risk: 'critical',
  requested_by: 'agent of attempt 1',
  status: 'pending',
  created_at: FIXED_NOW.toISOString(),
  deadlines: [],
  approver_role: null,
  decided_at: null,
  decided_by: null,
  decision_reason: null,
  parked_work: null,
  ...fields,
});

/** What a model was asked about an attempt, and said. */
export const judgement = (fields: Partial<Judgement> = {}): Judgement => ({
  kind: 'llm_judge',
  subject: 'llm_judge: it adds',
  outcome: 'failed',
  verdict: 'fail',
  confidence: 0.9,
  reasons: ['a.js:1 does not add'],
  injections: [],
  request_reason: 'asked',
  model: 'claude-sonnet-5-5',
  family: 'anthropic',
  prompt: { id: 'llm_judge', version: 1, sha256: 'd'.repeat(64) },
  calibration: null,
  calls: 1,
  tokens: { input: 1_000, output: 50 },
  cost_usd: 0.002,
  duration_ms: 900,
  ...fields,
});

/** For steps of which the deadlines do not matter. */
export const NOOP_DEADLINES = { postpone: async () => undefined };

/** A challenge that has not ended. */
export const challenge = (fields: Partial<AttemptChallenge> = {}): AttemptChallenge => ({
  pending_verdict: verdict(),
  mode: 'gate',
  budget_micro_usd: 250_000,
  timeout_s: 60,
  refer_above: 0.8,
  requested_at: FIXED_NOW.toISOString(),
  outcome: null,
  effect: null,
  key: null,
  ...fields,
});
