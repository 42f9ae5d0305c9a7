import type { RunResult } from '../../gates/process/run.ts';
import type { FailureClass } from '../../shared/task/attempt.ts';

/** Texts of a failed agent and what they mean; the first that matches counts. Lower case. */
const PATTERNS: readonly (readonly [FailureClass, RegExp])[] = [
  ['timeout', /timed out|timeout/],
  ['provider_spend_limit', /http 402|\b402 payment|spend limit exceeded|insufficient credits/],
  ['provider_auth', /http 40[13]|unauthorized|forbidden|invalid api key/],
  ['rate_limited', /http 429|\b429\b|too many requests|rate[ -]limit/],
  [
    'provider_transient',
    /http 50[0234]|http 529|internal server error|network error|overloaded|econnreset|econnrefused/,
  ],
];

/** How much of the end of the output is looked at: what an agent said along the way is not why it ended. */
const LOOKED_AT = 2_000;

/**
 * Why an agent failed. What the system knows comes first, then the end of the agent's output, because a command has no
 * other way to say it. Null when it did not fail.
 */
export function failureOf(
  result: RunResult,
): { readonly class: FailureClass; readonly reason: string } | null {
  if (result.end === 'exited' && result.exitCode === 0) return null;
  if (result.end === 'timed_out')
    return {
      class: 'timeout',
      reason: `the agent was stopped after ${Math.round(result.durationMs / 1000)} s`,
    };
  if (result.end === 'not_started')
    return {
      class: 'config_invalid',
      reason:
        result.startError === 'E2BIG'
          ? 'the prompt is too long for an argument; let the adapter use {prompt_file}'
          : `the adapter's program could not be started (${result.startError})`,
    };
  const how = result.end === 'signalled' ? `was ended by ${result.signal}` : `exited with ${result.exitCode}`;
  const text = result.output.slice(-LOOKED_AT).toLowerCase();
  const found = PATTERNS.find(([, pattern]) => pattern.test(text));
  return { class: found?.[0] ?? 'agent_failed', reason: `the agent ${how}` };
}
