import type { AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import type { FailureCode } from '../../shared/contract/failure/failure-class.ts';
import { MAX_CONSECUTIVE_PROVIDER_FAILURES } from '../../shared/control/model-gateway/provider-failure.ts';
import type { CliRunOptions } from './run-cli.ts';

/** What goes wrong, and what a run of each CLI must be read as. */
export interface FailureCase extends Omit<CliRunOptions, 'kind'> {
  /** Name of the recorded output. */
  readonly name: string;
  /** By CLI: the class, and the most calls that may reach the endpoint: waiting is the cascade's. */
  readonly expectations: Readonly<Partial<Record<AgentCliKind, readonly [FailureCode, number]>>>;
}

/** A CLI whose retries cannot be set makes so many calls, and one more that was under way. */
const MOST = MAX_CONSECUTIVE_PROVIDER_FAILURES + 1;

export const FAILURE_CASES: readonly FailureCase[] = [
  {
    name: 'wrong-key',
    scenario: '401',
    expectations: {
      qwen: ['provider_auth', 1],
      copilot: ['provider_auth', 3],
      claude: ['provider_auth', 1],
      codex: ['provider_auth', 2],
      gemini: ['provider_auth', 1],
      opencode: ['provider_auth', 2],
    },
  },
  {
    name: 'payment-required',
    scenario: '402',
    expectations: {
      qwen: ['provider_spend_limit', 1],
      copilot: ['provider_spend_limit', 1],
      claude: ['provider_spend_limit', 1],
      codex: ['provider_spend_limit', 2],
      gemini: ['provider_spend_limit', 1],
      opencode: ['provider_spend_limit', 2],
    },
  },
  {
    name: 'no-permission',
    scenario: '403',
    expectations: {
      qwen: ['provider_auth', 1],
      copilot: ['provider_auth', 1],
      claude: ['provider_auth', 1],
      codex: ['provider_auth', 2],
      gemini: ['provider_auth', 1],
    },
  },
  {
    name: 'no-such-model',
    scenario: '404',
    expectations: {
      qwen: ['model_invalid', 1],
      copilot: ['model_invalid', 1],
      claude: ['model_invalid', 2],
      codex: ['model_invalid', 1],
      gemini: ['model_invalid', 1],
      opencode: ['model_invalid', 2],
    },
  },
  {
    name: 'rate-limited',
    scenario: '429',
    // OpenCode's own retries cannot be set: the gateway ends them.
    expectations: {
      qwen: ['rate_limited', MOST],
      copilot: ['rate_limited', MOST],
      claude: ['rate_limited', 3],
      codex: ['rate_limited', 2],
      gemini: ['rate_limited', 2],
      opencode: ['rate_limited', MOST],
    },
  },
  {
    name: 'rate-limited-for-long',
    scenario: '429,after=600',
    waitingMs: 3_000,
    // Gemini CLI and Qwen Code wait as long as they are asked to, without a word.
    expectations: {
      copilot: ['rate_limited', MOST],
      claude: ['rate_limited', 1],
      codex: ['rate_limited', 1],
    },
  },
  {
    name: 'quota-used-up',
    scenario: 'quota',
    // Claude Code and Gemini CLI do not tell it from a rate limit.
    expectations: {
      qwen: ['provider_spend_limit', MOST],
      copilot: ['provider_spend_limit', MOST],
      claude: ['rate_limited', 3],
      codex: ['provider_spend_limit', 1],
      gemini: ['rate_limited', 2],
    },
  },
  {
    name: 'internal-error',
    scenario: '500',
    expectations: {
      qwen: ['provider_transient', MOST],
      copilot: ['provider_transient', MOST],
      claude: ['provider_transient', 3],
      codex: ['provider_transient', 4],
      gemini: ['provider_transient', 2],
      opencode: ['provider_transient', MOST],
    },
  },
  {
    name: 'overloaded',
    scenario: '529',
    expectations: {
      qwen: ['provider_overloaded', MOST],
      copilot: ['provider_overloaded', MOST],
      claude: ['provider_overloaded', 3],
      codex: ['provider_overloaded', 4],
      opencode: ['provider_overloaded', MOST],
    },
  },
  { name: 'unavailable', scenario: '503', expectations: { gemini: ['provider_overloaded', 2] } },
  {
    name: 'prompt-too-long',
    scenario: 'context',
    expectations: {
      qwen: ['context_too_long', 2],
      copilot: ['context_too_long', 3],
      claude: ['context_too_long', 1],
      codex: ['context_too_long', 1],
      gemini: ['context_too_long', 1],
      opencode: ['context_too_long', 4],
    },
  },
  {
    name: 'model-refuses',
    scenario: 'refuse',
    expectations: {
      qwen: ['refused', 5],
      copilot: ['refused', 2],
      claude: ['refused', 2],
      codex: ['refused', 1],
      gemini: ['refused', 2],
    },
  },
  {
    name: 'stream-cut',
    scenario: 'cut',
    expectations: {
      qwen: ['provider_transient', MOST],
      copilot: ['provider_transient', MOST],
      claude: ['provider_transient', 4],
      codex: ['provider_transient', 2],
      gemini: ['provider_transient', 2],
      opencode: ['provider_transient', MOST],
    },
  },
  {
    name: 'stream-ends-half-way',
    // OpenCode, Qwen Code and Copilot CLI take half of an answer for all of it.
    scenario: 'half',
    expectations: {
      claude: ['provider_transient', 4],
      codex: ['provider_transient', 2],
      gemini: ['provider_transient', 2],
    },
  },
  {
    name: 'garbage',
    scenario: 'garbage',
    expectations: {
      qwen: ['provider_transient', MOST],
      copilot: ['provider_transient', MOST],
      claude: ['provider_transient', 3],
      codex: ['provider_transient', 2],
      gemini: ['provider_transient', 2],
      opencode: ['provider_transient', MOST],
    },
  },
  {
    name: 'no-answer',
    scenario: 'hang',
    deadlineMs: 1_000,
    expectations: {
      qwen: ['provider_transient', MOST],
      copilot: ['provider_transient', MOST],
      claude: ['provider_transient', 3],
      codex: ['provider_transient', 4],
      gemini: ['provider_transient', 2],
      opencode: ['provider_transient', MOST],
    },
  },
  {
    name: 'connection-refused',
    scenario: 'gone',
    waitingMs: 3_000,
    expectations: {
      qwen: ['provider_transient', 0],
      copilot: ['provider_transient', 0],
      claude: ['provider_transient', 0],
      codex: ['provider_transient', 0],
      gemini: ['provider_transient', 0],
    },
  },
  {
    name: 'too-many-turns',
    scenario: 'loop',
    maxTurns: 3,
    expectations: { qwen: ['turn_limit', 3], claude: ['turn_limit', 3], gemini: ['turn_limit', 3] },
  },
  {
    name: 'budget-spent',
    scenario: 'loop',
    limitUsd: 0.0001,
    // The endpoint hears nothing of what the gateway refuses.
    expectations: {
      qwen: ['provider_spend_limit', 1],
      copilot: ['provider_spend_limit', 1],
      claude: ['provider_spend_limit', 1],
      codex: ['provider_spend_limit', 1],
      gemini: ['provider_spend_limit', 1],
    },
  },
];
