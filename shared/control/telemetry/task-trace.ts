import { AGENT_CLI_MANIFESTS } from '../../contract/agents/adapter-manifests.ts';
import type { MeteredModelCall } from '../../contract/models/metered-call.ts';
import type { Attempt, ContainerLaunch } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { buildModelCallSpans, buildModelUsageSpans } from './call-spans.ts';
import {
  buildTokenUsageAttributes,
  type DerivedSpan,
  type DerivedTrace,
  deriveSpanId,
  deriveTraceId,
  dropNullSpanAttributes,
  GEN_AI_PROVIDER_NAMES,
} from './planned-trace.ts';

const before = (end: string, ms: number, notBefore: string): string => {
  const start = new Date(Date.parse(end) - ms).toISOString();
  return start < notBefore ? notBefore : start;
};
const after = (start: string, ms: number): string => new Date(Date.parse(start) + ms).toISOString();
const least = (a: string, b: string): string => (a < b ? a : b);

function agentOf(task: Task, attempt: Attempt): { readonly agent: string; readonly provider: string | null } {
  const kind = attempt.adapter ?? task.adapter?.kind;
  if (kind === undefined || kind === 'command')
    return { agent: kind ?? attempt.lease_holder, provider: null };
  return { agent: kind, provider: GEN_AI_PROVIDER_NAMES[AGENT_CLI_MANIFESTS[kind].vendor] ?? null };
}

interface AttemptSpanContext {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly parentId: string;
  /** When the attempt is over. */
  readonly end: string;
  /** Single calls of models, as far as they were kept. */
  readonly calls: readonly MeteredModelCall[];
}

const callsOf = (calls: readonly MeteredModelCall[], kind: 'agent' | 'gates'): MeteredModelCall[] =>
  calls.filter(({ caller }) => caller === kind);

/** How many calls of a box were counted beside those that are spans of their own. */
function omittedCalls(
  kind: 'agent' | 'gates',
  { metered_usage: witnessed, gates_metered_usage: opinions }: Attempt,
  calls: readonly MeteredModelCall[],
): Record<string, number> {
  const kept = callsOf(calls, kind).length;
  const counted = (kind === 'agent' ? witnessed : opinions)?.calls ?? 0;
  return kept > 0 && counted > kept ? { 'assay.model.calls_left_out': counted - kept } : {};
}

/** A container: from when it was launched until it has said its word. */
function containerSpans(
  kind: 'agent' | 'gates' | 'deliver',
  launch: ContainerLaunch | null,
  until: string | null | undefined,
  { task, attempt, parentId, end, calls }: AttemptSpanContext,
): DerivedSpan[] {
  if (!launch) return [];
  return [
    {
      spanId: deriveSpanId(`${task.id}#${attempt.number}#${kind}`),
      parentId,
      name: `box ${kind}`,
      kind: 'internal',
      start: least(launch.launched_at, until ?? end),
      end: until ?? end,
      attributes: dropNullSpanAttributes({
        'assay.box.kind': kind,
        'assay.box.launch': launch.number,
        ...(kind !== 'deliver' && omittedCalls(kind, attempt, calls)),
      }),
      error: launch.lost && !until ? 'container_lost' : null,
    },
  ];
}

/** The gates of an attempt, each from when it began by the clock of its box; one that was remembered took no time. */
function gateSpans(parentId: string, { task, attempt }: AttemptSpanContext): DerivedSpan[] {
  const { verification } = attempt;
  if (!verification) return [];
  const gathering = before(verification.at, verification.duration_ms, attempt.started_at);
  const within = (ms: number): string => least(after(gathering, ms), verification.at);
  return verification.gates.map((gate) => {
    const known_start = gate.start_offset_ms !== undefined;
    const took = known_start && gate.cached ? 0 : gate.duration_ms;
    const began = gate.start_offset_ms ?? 0;
    return {
      spanId: deriveSpanId(`${task.id}#${attempt.number}#gate#${gate.name}`),
      parentId,
      name: `gate ${gate.name}`,
      kind: 'internal',
      start: within(began),
      end: within(began + took),
      attributes: dropNullSpanAttributes({
        'assay.gate.name': gate.name,
        'assay.gate.outcome': gate.outcome,
        'assay.gate.required': gate.required,
        'assay.gate.blocked': gate.blocked,
        'assay.gate.cached': gate.cached,
        'assay.gate.findings': gate.finding_count,
        // Remembered evidence, for one, has no start of its own.
        'assay.start_estimated': known_start ? null : true,
      }),
      error: gate.outcome === 'failed' || gate.outcome === 'timed_out' ? gate.outcome : null,
    };
  });
}

function judgeSpans({ task, attempt, parentId, end }: AttemptSpanContext): DerivedSpan[] {
  const asked = attempt.verdict?.judgements ?? [];
  return asked.flatMap((each, index): DerivedSpan[] => {
    if (each.calls === 0 || each.model === null) return [];
    const { asked_at } = each;
    const earliest = attempt.verification?.at ?? attempt.started_at;
    const start = asked_at === undefined ? before(end, each.duration_ms, earliest) : least(asked_at, end);
    return [
      {
        spanId: deriveSpanId(`${task.id}#${attempt.number}#judgement#${index}`),
        parentId,
        name: `chat ${each.model}`,
        kind: 'client',
        start,
        end: asked_at === undefined ? end : least(after(start, each.duration_ms), end),
        attributes: dropNullSpanAttributes({
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': each.model,
          'gen_ai.usage.input_tokens': each.tokens?.input,
          'gen_ai.usage.output_tokens': each.tokens?.output,
          'gen_ai.evaluation.name': each.kind,
          'gen_ai.evaluation.score.label': each.verdict,
          'gen_ai.evaluation.score.value': each.confidence,
          'assay.model.calls': each.calls,
          'assay.model.cost_usd': each.cost_usd,
          // A judgement without a call of a model has no start of its own.
          'assay.start_estimated': asked_at === undefined ? true : null,
        }),
        error: each.outcome === 'infra_failed' || each.outcome === 'timed_out' ? each.outcome : null,
      },
    ];
  });
}

function attemptSpans(
  task: Task,
  attempt: Attempt,
  { root, taskEnd, calls }: { root: string; taskEnd: string; calls: readonly MeteredModelCall[] },
): DerivedSpan[] {
  const key = `${task.id}#${attempt.number}`;
  const spanId = deriveSpanId(key);
  const end = attempt.ended_at ?? taskEnd;
  const { agent, provider } = agentOf(task, attempt);
  const around: AttemptSpanContext = { task, attempt, parentId: spanId, end, calls };
  const failed =
    attempt.outcome === 'failed' || attempt.outcome === 'infra_failed' || attempt.outcome === 'expired';
  const boxes = [
    ...containerSpans('agent', attempt.agent, attempt.report?.at, around),
    ...containerSpans(
      'gates',
      attempt.gates,
      attempt.verification?.at ?? attempt.verification_failure?.at,
      around,
    ),
    ...containerSpans('deliver', attempt.deliver, task.delivery?.at, around),
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
      attributes: dropNullSpanAttributes({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': attempt.model,
        ...buildTokenUsageAttributes(attempt.usage),
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
    ...(['agent', 'gates'] as const).flatMap((kind) =>
      buildModelCallSpans(callsOf(calls, kind), { key, parentId: parentOf(kind), end: taskEnd }),
    ),
    ...(callsOf(calls, 'agent').length > 0
      ? []
      : buildModelUsageSpans(attempt.metered_usage, provider, {
          ...{ key, parentId: parentOf('agent') },
          start: attempt.agent?.launched_at ?? attempt.started_at,
          end: attempt.report?.at ?? end,
        })),
    ...gateSpans(parentOf('gates'), around),
    ...judgeSpans(around),
  ];
}

/**
 * The trace of a task that has ended; null: it has not, and a trace of what is under way would have to be told again.
 * @param calls single calls of models, as far as they were kept
 */
export function buildTaskTrace(task: Task, calls: readonly MeteredModelCall[] = []): DerivedTrace | null {
  const end = task.ended_at;
  if (end === null) return null;
  const root = deriveSpanId(task.id);
  return {
    traceId: deriveTraceId(task.id),
    spans: [
      {
        spanId: root,
        parentId: null,
        name: 'task',
        kind: 'internal',
        start: task.created_at,
        end,
        attributes: dropNullSpanAttributes({
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
      ...task.attempts.flatMap((attempt) =>
        attemptSpans(task, attempt, {
          root,
          taskEnd: end,
          calls: calls.filter((call) => call.attempt === attempt.number),
        }),
      ),
    ],
  };
}
