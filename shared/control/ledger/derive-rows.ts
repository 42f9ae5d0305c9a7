import { selectTierModels, type TierModels } from '../../contract/agents/tiers.ts';
import type { CheckOutcome } from '../../contract/check-outcome.ts';
import { CHALLENGE_GATE } from '../../contract/evidence/gate-names.ts';
import type { VerificationGateRecord } from '../../contract/run-record/verification-gate-record.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { totalJudgingCost } from '../../contract/task/judging-cost.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import { currentAttempt, findJudgedAttempt, type Task } from '../../contract/task/task.ts';
import { breakEvenPassRate, computeAttemptChainCosts } from '../cascade/chain-costs.ts';
import { hasAttemptPassed } from '../cascade/learning/attempt-outcomes.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import { computeQualityScore } from '../verdict/quality-score.ts';
import { deriveFileChangeOutcomeRows } from './file-change-outcome-rows.ts';
import { deriveJudgementRows } from './judgement-rows.ts';
import { deriveWorkOutcomeRows } from './outcome-rows.ts';
import type {
  AttemptChainRow,
  GateRow,
  RecordRowOf,
  RecordTableName,
  VerificationNudgeRow,
} from './record-rows.ts';
import { recordedAuthor } from './recorded-author.ts';
import { deriveReviewRow } from './review-row.ts';

/** One row and where it goes. `date` is the day of the fact itself, so a late delivery lands in the same partition. */
export type DerivedRow = {
  [T in RecordTableName]: { readonly table: T; readonly date: string; readonly row: RecordRowOf<T> };
}[RecordTableName];

const GATE_STATUS_OF: Record<CheckOutcome, GateRow['status']> = {
  passed: 'pass',
  failed: 'fail',
  timed_out: 'timeout',
  skipped: 'skipped',
  bypassed: 'bypassed',
  could_not_run: 'could_not_run',
  infra_failed: 'infra_failed',
};
const day = (iso: string): string => iso.slice(0, 10);

function taskRow(before: Task | null, after: Task): DerivedRow[] {
  if (before?.status === after.status) return [];
  return [
    {
      table: 'tasks',
      date: day(after.updated_at),
      row: {
        record_id: `${after.id}#v${after.version}`,
        schema_version: 1,
        task_id: after.id,
        timestamp: after.updated_at,
        status: after.status,
        previous_status: before?.status ?? null,
        role: after.role,
        priority: after.priority,
        scope: after.scope,
        complexity: after.complexity,
        runner: after.runner,
        repository: after.repository,
        attempt: currentAttempt(after)?.number ?? 0,
        model: currentAttempt(after)?.model ?? null,
        version: after.version,
        verified: after.verified,
        failure_code: after.failure?.code ?? null,
        age_ms: Date.parse(after.updated_at) - Date.parse(after.created_at),
      },
    },
  ];
}

/** As text by name in small letters; of two that differ in capitals alone the first counts. */
function factsOf(facts: Readonly<Record<string, unknown>>): Record<string, string> {
  const named = Object.entries(facts).map(([name, fact]) => [
    name.toLowerCase(),
    typeof fact === 'string' ? fact : JSON.stringify(fact),
  ]);
  return Object.fromEntries(named.reverse());
}

const textOf = (fact: unknown): string | null => (typeof fact === 'string' ? fact : null);

/** The attempt whose evidence came with this write. */
function newVerification(before: Task | null, after: Task) {
  const attempt = currentAttempt(after);
  const verification = attempt?.verification;
  const known = before?.attempts.find((each) => each.number === attempt?.number)?.verification;
  return attempt && verification && !known ? { attempt, verification } : null;
}

function signalRows(before: Task | null, after: Task): DerivedRow[] {
  const judged = newVerification(before, after);
  if (!judged) return [];
  const { attempt, verification } = judged;
  return verification.signals.map(({ type, subject, outcome }, index) => ({
    table: 'completion_signals',
    date: day(verification.at),
    row: {
      record_id: `${after.id}#${attempt.number}#${index}`,
      schema_version: 1,
      task_id: after.id,
      timestamp: verification.at,
      attempt: attempt.number,
      type,
      subject,
      outcome,
      model: attempt.model,
      tree: verification.tree,
    },
  }));
}

type GateSummary = NonNullable<Attempt['verification']>['gates'][number];

/** Returns the entry of a challenge whose verdict came with this write, with the cost of the challenge. */
function newChallenge(
  before: Task | null,
  after: Task,
): { gate: GateSummary; id: string; at: string } | null {
  const attempt = currentAttempt(after);
  const earlier = before?.attempts.find(({ number }) => number === attempt?.number)?.challenge;
  const gate = attempt?.verification?.gates.find(({ name }) => name === CHALLENGE_GATE);
  if (!gate || !attempt?.challenge?.outcome || attempt.challenge.pending_verdict !== null) return null;
  if (!earlier?.pending_verdict) return null;
  const cost_usd = attempt.challenge.metered_usage?.cost_usd ?? null;
  return {
    gate: { ...gate, facts: { ...gate.facts, cost_usd } },
    // A task can be challenged again after a repeated verdict.
    id: `${CHALLENGE_GATE}#${attempt.challenge.requested_at}`,
    at: after.updated_at,
  };
}

function gateRows(before: Task | null, after: Task): DerivedRow[] {
  const judged = newVerification(before, after);
  const challenged = newChallenge(before, after);
  return [
    ...(judged?.verification.gates ?? [])
      .filter(({ name }) => name !== CHALLENGE_GATE)
      .map((gate) => ({ gate, id: gate.name, at: judged?.verification.at ?? after.updated_at })),
    ...(challenged ? [challenged] : []),
  ].map((each) => gateRow(after, each));
}

function gateRow(
  task: Task,
  { gate, id, at }: { readonly gate: GateSummary; readonly id: string; readonly at: string },
): DerivedRow {
  const attempt = currentAttempt(task);
  return {
    table: 'quality_gates',
    date: day(at),
    row: {
      record_id: `${task.id}#${attempt?.number ?? 0}#${id}`,
      schema_version: 1,
      task_id: task.id,
      timestamp: at,
      attempt: attempt?.number ?? 0,
      gate: gate.name,
      result:
        gate.outcome === 'passed' || gate.outcome === 'skipped'
          ? 'pass'
          : gate.blocked
            ? 'blocked'
            : 'flagged',
      status: GATE_STATUS_OF[gate.outcome],
      outcome: gate.outcome,
      duration_ms: gate.duration_ms,
      cached: gate.cached,
      required: gate.required,
      findings: gate.finding_count,
      tree: attempt?.verification?.tree ?? '',
      model: attempt?.model ?? null,
      tool: textOf(gate.facts['tool']),
      tool_version: textOf(gate.facts['tool_version']),
      facts: factsOf(gate.facts),
    },
  };
}

const tokens = ({ usage }: Attempt): number | null =>
  usage
    ? usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    : null;

type FailureField =
  | 'failure_class'
  | 'failure_code'
  | 'failure_mode'
  | 'failure_retryable'
  | 'failure_rule'
  | 'failure_signature'
  | 'strategy'
  | 'exit_code'
  | 'signal';

function failureFields(attempt: Attempt): Pick<AttemptChainRow['attempts'][number], FailureField> {
  const failure = attempt.failure ?? classifyAttemptFailure(attempt);
  return {
    failure_class: failure?.class ?? null,
    failure_code: failure?.code ?? null,
    failure_mode: failure?.mode ?? null,
    failure_retryable: failure?.retryable ?? null,
    failure_rule: failure?.matched_rule ?? null,
    failure_signature: attempt.failure?.signature ?? null,
    strategy: attempt.decision?.strategy ?? null,
    exit_code: attempt.report?.exit?.exit_code ?? null,
    signal: attempt.report?.exit?.signal ?? null,
  };
}

/** How often the agent was told to go on; null: nothing was asked of it. */
const nudgesOf = (gate: VerificationGateRecord | undefined): number | null =>
  gate ? gate.nudges.tests + gate.nudges.compilation : null;

function chainRow(after: Task, deployed: TierModels): AttemptChainRow {
  const models = selectTierModels(after.adapter, deployed);
  const chainId = `${after.id}#${after.first_budgeted_attempt}`;
  const attempts = after.attempts.filter((attempt) => attempt.number >= after.first_budgeted_attempt);
  return {
    record_id: chainId,
    schema_version: 1,
    task_id: after.id,
    timestamp: after.ended_at ?? after.updated_at,
    chain_id: chainId,
    role: after.role,
    complexity: after.complexity,
    attempts: attempts.map((attempt) => ({
      task_id: after.id,
      chain_id: chainId,
      model: attempt.model,
      tier: attempt.tier,
      effort: attempt.effort,
      route_rule: attempt.route.rule,
      route_reason: attempt.route.reason,
      fallback_from: attempt.route.provider_fallback?.from ?? null,
      chosen_by: attempt.route.tier_choice?.strategy ?? null,
      explored: attempt.route.tier_choice?.explored ?? false,
      attempt_number: attempt.number,
      started_at: attempt.started_at,
      cost_usd: attempt.cost_usd,
      judging_cost_usd: totalJudgingCost(attempt),
      gates_cost_usd: attempt.gates_metered_usage?.cost_usd ?? null,
      quality_score: computeQualityScore(attempt)?.total ?? null,
      verification_gate: attempt.report?.verification_gate?.state ?? null,
      nudges: nudgesOf(attempt.report?.verification_gate),
      latency_s: attempt.report
        ? (Date.parse(attempt.report.at) - Date.parse(attempt.started_at)) / 1_000
        : null,
      tokens_used: tokens(attempt),
      success: attempt.outcome === 'passed' || attempt.outcome === 'unverified',
      passed: hasAttemptPassed(attempt),
      outcome: attempt.outcome,
      ...failureFields(attempt),
      escalated: attempt.decision?.action === 'escalate',
      decision: attempt.decision?.action ?? null,
      escalation_reason: attempt.decision?.action === 'escalate' ? attempt.decision.reason : null,
    })),
    final_model: attempts.at(-1)?.model ?? null,
    succeeded: after.status === 'done',
    status: after.status,
    author: recordedAuthor(after),
    ...computeAttemptChainCosts(attempts, models),
    break_even_pass_rate: breakEvenPassRate(models, after.created_at),
  };
}

function chainRows(after: Task, date: string, models: TierModels): DerivedRow[] {
  const row = chainRow(after, models);
  const { timestamp, role, complexity } = row;
  const attempts = row.attempts.map(
    (attempt): DerivedRow => ({
      table: 'cascade_attempts',
      date,
      row: {
        ...attempt,
        record_id: `${row.chain_id}#${attempt.attempt_number}`,
        schema_version: 1,
        timestamp,
        role,
        complexity,
        repository: after.repository,
        task_succeeded: row.succeeded,
      },
    }),
  );
  return [{ table: 'cascade_chains', date, row }, ...attempts];
}

function endRows(before: Task | null, after: Task, models: TierModels): DerivedRow[] {
  if (!isTerminalStatus(after.status) || before?.status === after.status) return [];
  const at = after.ended_at ?? after.updated_at;
  const attempt = currentAttempt(after);
  const chain = attempt ? chainRows(after, day(at), models) : [];
  if (after.status !== 'done') return chain;
  const verdict = attempt ? findJudgedAttempt(after, attempt).verdict : null;
  const row: VerificationNudgeRow = {
    record_id: `${after.id}#${attempt?.number ?? 0}`,
    schema_version: 1,
    task_id: after.id,
    session_id: `${after.id}#${attempt?.number ?? 0}`,
    timestamp: Date.parse(at) / 1_000,
    tests_run: verdict?.tests_run ?? false,
    quality_gates_run: verdict?.quality_gates_run ?? false,
    completion_signals_checked: verdict?.completion_signals_checked ?? false,
    verified: after.verified === true,
    evidence_source: 'gates_container',
    tree: attempt?.artifact?.tree ?? null,
  };
  return [...chain, { table: 'verification_nudges', date: day(at), row }];
}

/** The rows that follow from one write of a task: a pure function of the two images, so a re-delivery gives the same rows. */
export function deriveRecordRows(before: Task | null, after: Task, models: TierModels): DerivedRow[] {
  const judgements = deriveJudgementRows(before, after).map((row) => ({
    table: 'judgements' as const,
    date: day(row.timestamp),
    row,
  }));
  const review = deriveReviewRow(before, after);
  return [
    ...taskRow(before, after),
    ...signalRows(before, after),
    ...gateRows(before, after),
    ...judgements,
    ...(review ? [{ table: 'reviews' as const, date: day(review.timestamp), row: review }] : []),
    ...deriveWorkOutcomeRows(before, after).map((row) => ({
      table: 'work_outcomes' as const,
      date: day(row.timestamp),
      row,
    })),
    ...deriveFileChangeOutcomeRows(before, after).map((row) => ({
      table: 'file_touches' as const,
      date: day(row.timestamp),
      row,
    })),
    ...endRows(before, after, models),
  ];
}

/** The bodies of the objects to write: one per table and day, rows in the order they came, each once. */
export function groupRecordRowsByObject(
  rows: readonly DerivedRow[],
): { table: RecordTableName; date: string; body: string }[] {
  const groups = new Map<
    string,
    { table: RecordTableName; date: string; rows: Map<string, DerivedRow['row']> }
  >();
  for (const { table, date, row } of rows) {
    const key = `${table}/${date}`;
    const group = groups.get(key) ?? { table, date, rows: new Map() };
    group.rows.set(row.record_id, row);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ table, date, rows: each }) => ({
    table,
    date,
    body: [...each.values()].map((row) => `${JSON.stringify(row)}\n`).join(''),
  }));
}
