import type { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import { AGENT_CLI_MANIFESTS } from '../../contract/agents/adapter-manifests.ts';
import type { ProviderName } from '../../contract/models/protocols.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { classifyAttemptFailure } from '../failures/attempt-failure.ts';
import { providerRetryAt } from '../failures/retry-backoff.ts';
import type { ProviderObservation } from './provider-cooldown.ts';

/** Returns the provider whose models an attempt calls; null: a command, whose models are unknown. */
export function findAttemptProvider(
  { adapter }: Pick<Task, 'adapter'>,
  attempt: Pick<Attempt, 'adapter'> | null,
  fallback: AgentAdapterSettings,
): ProviderName | null {
  const kind = attempt?.adapter ?? (adapter ?? fallback).kind;
  return kind === 'command' ? null : AGENT_CLI_MANIFESTS[kind].vendor;
}

/** Longest pause in seconds that a container can claim where the gateway meters nothing. */
const MAX_CLAIMED_SECONDS = 6 * 3_600;

const boundedClaim = (claimed: number | null, at: string): string | null =>
  claimed === null
    ? null
    : new Date(Math.min(claimed, Date.parse(at) + MAX_CLAIMED_SECONDS * 1_000)).toISOString();

/** Returns what a write of a task tells of a provider: an attempt that failed there, or one that succeeded. Null: nothing. */
export function deriveProviderObservation(
  before: Task | null,
  after: Task,
  fallback: AgentAdapterSettings,
): ProviderObservation | null {
  const attempt = after.attempts.at(-1);
  const was = before?.attempts.find(({ number }) => number === attempt?.number);
  if (!attempt?.report || was?.report || after.runner !== 'managed' || attempt.merge || attempt.redelivery)
    return null;
  const provider = findAttemptProvider(after, attempt, fallback);
  if (provider === null) return null;
  const failure = classifyAttemptFailure(attempt);
  const isTrouble = failure?.remedy === 'later' || failure?.class === 'provider_spend_limit';
  if (failure !== null && !isTrouble) return null;
  // What the gateway has metered outweighs the container, which could pause a provider for every task by a claim.
  const metered = attempt.metered_usage;
  if (failure !== null && metered && !metered.provider_error) return null;
  const until = metered
    ? (metered.provider_error?.retry_at ?? null)
    : boundedClaim(providerRetryAt(attempt), attempt.report.at);
  return {
    id: `${after.id}#${attempt.number}`,
    provider,
    started_at: attempt.started_at,
    at: attempt.report.at,
    failure: failure && {
      reason: failure.class,
      asked: until,
    },
  };
}
