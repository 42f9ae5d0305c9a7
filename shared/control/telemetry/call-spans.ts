import type { MeteredModelCall } from '../../contract/models/metered-call.ts';
import { PROVIDER_OF_PROTOCOL } from '../../contract/models/protocols.ts';
import type { AgentMeteredUsage } from '../../contract/task/attempt.ts';
import {
  buildTokenUsageAttributes,
  type DerivedSpan,
  deriveSpanId,
  dropNullSpanAttributes,
  GEN_AI_PROVIDER_NAMES,
} from './planned-trace.ts';

interface CallSpanContext {
  /** What tells spans of this attempt from others'. */
  readonly key: string;
  readonly parentId: string;
  /** Nothing of the attempt is told to have been later. */
  readonly end: string;
}

const least = (a: string, b: string): string => (a < b ? a : b);
/** Gemini's own API has a name of its own in the conventions. */
const operation = ({ protocol }: MeteredModelCall): string =>
  protocol === 'gemini' ? 'generate_content' : 'chat';

/** Single calls of models as the gateway has witnessed them, each from when it was let through to its last byte. */
export const buildModelCallSpans = (
  calls: readonly MeteredModelCall[],
  { key, parentId, end }: CallSpanContext,
): DerivedSpan[] =>
  calls.map((call) => ({
    spanId: deriveSpanId(`${key}#call#${call.id}`),
    parentId,
    name: `${operation(call)} ${call.model}`,
    kind: 'client',
    start: least(call.started_at, end),
    end: least(call.ended_at, end),
    attributes: dropNullSpanAttributes({
      'gen_ai.operation.name': operation(call),
      'gen_ai.provider.name': GEN_AI_PROVIDER_NAMES[PROVIDER_OF_PROTOCOL[call.protocol]],
      'gen_ai.request.model': call.model,
      'gen_ai.response.model': call.billed_model,
      ...buildTokenUsageAttributes(call.usage),
      'http.response.status_code': call.status || null,
      'assay.model.cost_usd': call.cost_micro_usd === null ? null : call.cost_micro_usd / 1e6,
    }),
    error: call.provider_error,
  }));

/** What the gateway has counted of each model, where single calls were not kept: a span for all calls of one model. */
export function buildModelUsageSpans(
  witnessed: AgentMeteredUsage | null | undefined,
  provider: string | null,
  { key, parentId, start, end }: CallSpanContext & { readonly start: string },
): DerivedSpan[] {
  const models = Object.entries(witnessed?.usage_by_model ?? {});
  return models.map(([model, usage]) => ({
    spanId: deriveSpanId(`${key}#model#${model}`),
    parentId,
    name: `chat ${model}`,
    kind: 'client',
    start: least(start, end),
    end,
    attributes: dropNullSpanAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      ...buildTokenUsageAttributes(usage),
      // Of all models together: where there is one, its own.
      'assay.model.calls': models.length === 1 ? witnessed?.calls : null,
      'assay.model.cost_usd': models.length === 1 ? witnessed?.cost_usd : null,
      'assay.start_estimated': true,
    }),
    error: witnessed?.provider_error ? witnessed.provider_error.code : null,
  }));
}
