import type { FailureCode } from '../../../shared/contract/failure/failure-class.ts';
import type { TokenUsage } from '../../../shared/contract/models/usage.ts';
import { toJsonFields, toNonBlankText, tryParseJson } from './json-fields.ts';

export interface AgentFailure {
  readonly class: FailureCode;
  readonly reason: string;
  /** Of the provider's last answer, where the CLI says it. */
  readonly status?: number;
  /** The CLI's or the provider's own word for the error. */
  readonly errorCode?: string;
  /** Seconds until the provider takes requests again, when it said so. */
  readonly retryAfterSeconds?: number;
}

/** What a CLI says of its error in structure; what it does not say is left out. */
export const buildAgentFailureDetails = (
  status: number | null,
  errorCode: string | null,
): Pick<AgentFailure, 'status' | 'errorCode'> => ({
  ...(status !== null && status >= 100 && status <= 599 && { status }),
  ...(errorCode !== null && { errorCode: errorCode.trim().slice(0, 100) }),
});

/** What is known of a run so far. All of it is the agent's own word. */
export interface AgentRunState {
  sessionId: string | null;
  turns: number;
  toolCalls: number;
  readonly changedFiles: Set<string>;
  /** By model; a model that reported nothing that can be counted is not in it. */
  readonly usageByModel: Map<string, TokenUsage>;
  /** The CLI's own sum in dollars. */
  costUsd: number | null;
  /** The agent's last words. */
  lastMessage: string | null;
  status: 'done' | 'blocked' | null;
  summary: string | null;
  stopReason: string | null;
  /** The event that ends a run has come. */
  hasEnded: boolean;
  failure: AgentFailure | null;
  /** The CLI has said that it waits and for what; null when anything else came after it. */
  waitReason: string | null;
  /** Why it waits, where that can be told. */
  waitFailureClass: FailureCode | null;
  /** End of a limit of its subscription that it has run into, in milliseconds since 1970; null: it has met none. */
  limitResetAtMs: number | null;
  /** How often it was silent for too long and was told to go on. */
  nudges: number;
  /** How often it wanted to stop and was told what is missing. */
  holdBacks: number;
}

export const createAgentRunState = (): AgentRunState => ({
  sessionId: null,
  turns: 0,
  toolCalls: 0,
  changedFiles: new Set(),
  usageByModel: new Map(),
  costUsd: null,
  lastMessage: null,
  status: null,
  summary: null,
  stopReason: null,
  hasEnded: false,
  failure: null,
  waitReason: null,
  waitFailureClass: null,
  limitResetAtMs: null,
  nudges: 0,
  holdBacks: 0,
});

/** Clears what is known of how the run ended, before the agent is started again. */
export function resetAgentRunOutcome(state: AgentRunState): void {
  state.hasEnded = false;
  state.failure = null;
  state.stopReason = null;
  state.limitResetAtMs = null;
}

/**
 * Prepares the state for another run. `addEarlier` adds the usage of the earlier runs to what the next run reports.
 * @param reportsSessionTotals The next run resumes the session, and the CLI reports sums of the whole session. A sum that is lower
 * than that of the earlier runs is none, and is added.
 */
export function beginNextAgentRun(
  state: AgentRunState,
  reportsSessionTotals = false,
): { readonly addEarlier: () => void } {
  const earlier = new Map(state.usageByModel);
  const { costUsd } = state;
  state.usageByModel.clear();
  resetAgentRunOutcome(state);
  state.costUsd = null;
  state.status = null;
  state.summary = null;
  state.waitReason = null;
  state.waitFailureClass = null;
  return {
    addEarlier: () => {
      for (const [model, usage] of earlier) {
        const now = state.usageByModel.get(model);
        const isTotal = reportsSessionTotals && now !== undefined && includesUsage(now, usage);
        state.usageByModel.set(model, isTotal ? now : now ? addUsage(usage, now) : usage);
      }
      const isTotalCost = reportsSessionTotals && state.costUsd !== null && state.costUsd >= (costUsd ?? 0);
      if (costUsd !== null && !isTotalCost) state.costUsd = costUsd + (state.costUsd ?? 0);
    },
  };
}

const includesUsage = (total: TokenUsage, part: TokenUsage): boolean =>
  (Object.keys(part) as (keyof TokenUsage)[]).every((name) => total[name] >= part[name]);

const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
  cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
});

/** All models together; null when none reported anything. */
export function sumTokenUsage({ usageByModel }: AgentRunState): TokenUsage | null {
  if (usageByModel.size === 0) return null;
  const sum = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  for (const each of usageByModel.values())
    for (const name of Object.keys(sum) as (keyof TokenUsage)[]) sum[name] += each[name];
  return sum;
}

/** What the agent is asked to say at its end, by CLIs that can be asked. */
export const FINAL_STATUS_SCHEMA = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      enum: ['done', 'blocked'],
      description: 'blocked: the task cannot be done without something that you do not have.',
    },
    summary: { type: 'string', description: 'What was done, or what is missing, in a few sentences.' },
  },
  required: ['status', 'summary'],
  additionalProperties: false,
} as const;

/** Takes over status and summary, where the agent has said both as it was asked to. */
export function applyFinalStatus(reading: AgentRunState, said: unknown): void {
  const { status, summary } = toJsonFields(typeof said === 'string' ? tryParseJson(said) : said);
  if (status !== 'done' && status !== 'blocked') return;
  reading.status = status;
  reading.summary = toNonBlankText(summary);
}
