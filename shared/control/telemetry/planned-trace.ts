import type { TokenUsage } from '../../contract/models/usage.ts';
import { sha256 } from '../../lib/sha256.ts';

type Value = string | number | boolean;

/** A span as it is to be told: ids, times and attributes follow from the task alone, so that what is told twice is the same span. */
export interface DerivedSpan {
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

export interface DerivedTrace {
  readonly traceId: string;
  readonly spans: readonly DerivedSpan[];
}

/** 16 bytes in hex. */
export const deriveTraceId = (taskId: string): string => sha256(`trace ${taskId}`).slice(0, 32);
/** 8 bytes in hex. */
export const deriveSpanId = (key: string): string => sha256(`span ${key}`).slice(0, 16);

/** Names of the registry of semantic conventions for generative AI, and ours under `assay.`. */
export const GEN_AI_PROVIDER_NAMES: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  gemini: 'gcp.gemini',
};

export const dropNullSpanAttributes = (
  attributes: Readonly<Record<string, Value | null | undefined>>,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      (entry): entry is [string, Value] => entry[1] !== null && entry[1] !== undefined,
    ),
  );

/** Cached tokens are part of what went in. */
export const buildTokenUsageAttributes = (usage: TokenUsage | null | undefined): Record<string, Value> =>
  usage
    ? {
        'gen_ai.usage.input_tokens': usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        'gen_ai.usage.output_tokens': usage.output_tokens,
        'gen_ai.usage.cache_read.input_tokens': usage.cache_read_tokens,
        'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
      }
    : {};
