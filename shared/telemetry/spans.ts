import { ADAPTER_FACTS } from '../task/adapter-facts.ts';
import type { Attempt, Launch, Usage } from '../task/attempt.ts';
import type { Task } from '../task/task.ts';
import { sha256 } from '../tokens.ts';

type Value = string | number | boolean;

/** A span as it is to be told: ids, times and attributes follow from the task alone, so that what is told twice is the same span. */
export interface PlannedSpan {
  readonly spanId: string;
  /** Null: it is the root. */
  readonly parentId: string | null;
  readonly name: string;
  /** `client`: a call of another system. */
  readonly kind: 'internal' | 'client';
  /** ISO 8601. */
  readonly start: string;
  readonly end: string;
  readonly attributes: Readonly<Record<string, Value>>;
  /** Why it failed; null: it did not. */
  readonly error: string | null;
}

export interface PlannedTrace {
  readonly traceId: string;
  readonly spans: readonly PlannedSpan[];
}

/** 16 bytes in hex. */
export const traceIdOf = (taskId: string): string => sha256(`trace ${taskId}`).slice(0, 32);
/** 8 bytes in hex. */
export const spanIdOf = (key: string): string => sha256(`span ${key}`).slice(0, 16);

/** Names of the registry of semantic conventions for generative AI, and ours under `assay.`. */
const GEN_AI_PROVIDER: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  gemini: 'gcp.gemini',
};

const known = (attributes: Readonly<Record<string, Value | null | undefined>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      (entry): entry is [string, Value] => entry[1] !== null && entry[1] !== undefined,
    ),
  );

/** Cached tokens are part of what went in. */
const usageOf = (usage: Usage | null | undefined): Record<string, Value> =>
  usage
    ? {
        'gen_ai.usage.input_tokens': usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        'gen_ai.usage.output_tokens': usage.output_tokens,
        'gen_ai.usage.cache_read.input_tokens': usage.cache_read_tokens,
        'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
      }
    : {};

const before = (end: string, ms: number, notBefore: string): string => {
  const start = new Date(Date.parse(end) - ms).toISOString();
  return start < notBefore ? notBefore : start;
};
const least = (a: string, b: string): string => (a < b ? a : b);

function agentOf(task: Task, attempt: Attempt): { readonly agent: string; readonly provider: string | null } {
  const kind = attempt.adapter ?? task.adapter?.kind;
  if (kind === undefined || kind === 'command') return { agent: kind ?? attempt.holder, provider: null };
  return { agent: kind, provider: GEN_AI_PROVIDER[ADAPTER_FACTS[kind].vendor] ?? null };
}

interface Around {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly parentId: string;
  /** When the attempt is over. */
  readonly end: string;
}

/** A container: from when it was launched until it has said its word. */
function boxSpan(
  kind: 'agent' | 'gates' | 'deliver',
  launch: Launch | null,
  until: string | null | undefined,
  { task, attempt, parentId, end }: Around,
): PlannedSpan[] {
  if (!launch) return [];
  return [
    {
      spanId: spanIdOf(`${task.id}#${attempt.number}#${kind}`),
      parentId,
      name: `box ${kind}`,
      kind: 'internal',
      start: least(launch.launched_at, until ?? end),
      end: until ?? end,
      attributes: { 'assay.box.kind': kind, 'assay.box.launch': launch.number },
      error: launch.lost && !until ? 'box_lost' : null,
    },
  ];
}

/** The gates of an attempt. Nobody writes down when each began, only how long it took; they begin side by side with their box's work. */
function gateSpans(parentId: string, { task, attempt }: Around): PlannedSpan[] {
  const { verification } = attempt;
  if (!verification) return [];
  const start = before(verification.at, verification.duration_ms, attempt.started_at);
  return verification.gates.map((gate) => ({
    spanId: spanIdOf(`${task.id}#${attempt.number}#gate#${gate.name}`),
    parentId,
    name: `gate ${gate.name}`,
    kind: 'internal',
    start,
    end: least(new Date(Date.parse(start) + gate.duration_ms).toISOString(), verification.at),
    attributes: known({
      'assay.gate.name': gate.name,
      'assay.gate.outcome': gate.outcome,
      'assay.gate.required': gate.required,
      'assay.gate.blocked': gate.blocked,
      'assay.gate.cached': gate.cached,
      'assay.gate.findings': gate.findings,
      'assay.start_estimated': true,
    }),
    error: gate.outcome === 'failed' || gate.outcome === 'timed_out' ? gate.outcome : null,
  }));
}

/** What the gateway has counted of each model: a span for all calls of one model, since single calls leave no record. */
function callSpans(parentId: string, provider: string | null, around: Around): PlannedSpan[] {
  const { task, attempt, end } = around;
  const { witnessed, report } = attempt;
  const start = attempt.agent?.launched_at ?? attempt.started_at;
  const until = report?.at ?? end;
  const models = Object.entries(witnessed?.by_model ?? {});
  return models.map(([model, usage]) => ({
    spanId: spanIdOf(`${task.id}#${attempt.number}#model#${model}`),
    parentId,
    name: `chat ${model}`,
    kind: 'client',
    start: least(start, until),
    end: until,
    attributes: known({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      ...usageOf(usage),
      // Of all models together: where there is one, its own.
      'assay.model.calls': models.length === 1 ? witnessed?.calls : null,
      'assay.model.cost_usd': models.length === 1 ? witnessed?.cost_usd : null,
      'assay.start_estimated': true,
    }),
    error: witnessed?.trouble ? witnessed.trouble.class : null,
  }));
}

function judgeSpans({ task, attempt, parentId, end }: Around): PlannedSpan[] {
  const asked = attempt.verdict?.judgements ?? [];
  return asked.flatMap((each, index): PlannedSpan[] => {
    if (each.calls === 0 || each.model === null) return [];
    return [
      {
        spanId: spanIdOf(`${task.id}#${attempt.number}#judgement#${index}`),
        parentId,
        name: `chat ${each.model}`,
        kind: 'client',
        start: before(end, each.duration_ms, attempt.verification?.at ?? attempt.started_at),
        end,
        attributes: known({
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': each.model,
          'gen_ai.usage.input_tokens': each.tokens?.input,
          'gen_ai.usage.output_tokens': each.tokens?.output,
          'gen_ai.evaluation.name': each.kind,
          'gen_ai.evaluation.score.label': each.verdict,
          'gen_ai.evaluation.score.value': each.confidence,
          'assay.model.calls': each.calls,
          'assay.model.cost_usd': each.cost_usd,
          'assay.start_estimated': true,
        }),
        error: each.outcome === 'infra_failed' || each.outcome === 'timed_out' ? each.outcome : null,
      },
    ];
  });
}

function attemptSpans(task: Task, attempt: Attempt, root: string, taskEnd: string): PlannedSpan[] {
  const spanId = spanIdOf(`${task.id}#${attempt.number}`);
  const end = attempt.ended_at ?? taskEnd;
  const { agent, provider } = agentOf(task, attempt);
  const around: Around = { task, attempt, parentId: spanId, end };
  const failed =
    attempt.outcome === 'failed' || attempt.outcome === 'infra_failed' || attempt.outcome === 'expired';
  const boxes = [
    ...boxSpan('agent', attempt.agent, attempt.report?.at, around),
    ...boxSpan('gates', attempt.gates, attempt.verification?.at ?? attempt.verification_failure?.at, around),
    ...boxSpan('deliver', attempt.deliver, task.delivery?.at, around),
  ];
  const parentOf = (kind: string): string =>
    boxes.find((each) => each.attributes['assay.box.kind'] === kind)?.spanId ?? spanId;
  return [
    {
      spanId,
      parentId: root,
      name: `invoke_agent ${agent}`,
      kind: 'internal',
      start: attempt.started_at,
      end,
      attributes: known({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': attempt.model,
        ...usageOf(attempt.usage),
        'assay.attempt.number': attempt.number,
        'assay.attempt.tier': attempt.tier,
        'assay.attempt.effort': attempt.effort,
        'assay.attempt.outcome': attempt.outcome,
        'assay.attempt.cost_usd': attempt.cost_usd,
        'assay.attempt.decision': attempt.decision?.action,
        'assay.verdict': attempt.verdict?.verdict,
      }),
      error: failed ? (attempt.failure?.code ?? attempt.outcome) : null,
    },
    ...boxes,
    ...callSpans(parentOf('agent'), provider, around),
    ...gateSpans(parentOf('gates'), around),
    ...judgeSpans(around),
  ];
}

/** The trace of a task that has ended; null: it has not, and a trace of what is under way would have to be told again. */
export function traceOf(task: Task): PlannedTrace | null {
  const end = task.ended_at;
  if (end === null) return null;
  const root = spanIdOf(task.id);
  return {
    traceId: traceIdOf(task.id),
    spans: [
      {
        spanId: root,
        parentId: null,
        name: 'task',
        kind: 'internal',
        start: task.created_at,
        end,
        attributes: known({
          'assay.task.id': task.id,
          'assay.task.status': task.status,
          'assay.task.role': task.role,
          'assay.task.priority': task.priority,
          'assay.task.scope': task.scope,
          'assay.task.complexity': task.complexity,
          'assay.task.repository': task.repository,
          'assay.task.base_commit': task.base_commit,
          'assay.task.verified': task.verified,
          'assay.task.attempts': task.attempts.length,
          'assay.delivery.state': task.delivery?.state,
          'assay.delivery.commit': task.delivery?.commit,
        }),
        error: task.status === 'failed' ? (task.failure?.code ?? 'failed') : null,
      },
      ...task.attempts.flatMap((attempt) => attemptSpans(task, attempt, root, end)),
    ],
  };
}
