import { roundUsd } from '../../contract/models/model-prices.ts';
import type { TokenUsage } from '../../contract/models/usage.ts';
import type { AgentMeteredUsage, Attempt, GatesMeteredUsage } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { UsageMeter } from './usage-meter.ts';

const NOTHING: TokenUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};
const FIELDS = Object.keys(NOTHING) as (keyof TokenUsage)[];
/** A difference of more than this share between what is claimed and what is witnessed is a finding. */
const TOLERANCE = 0.1;
/** Models kept: the item's size is bounded. */
const KEPT = 10;

const add = (left: TokenUsage, right: TokenUsage): TokenUsage => ({
  input_tokens: left.input_tokens + right.input_tokens,
  output_tokens: left.output_tokens + right.output_tokens,
  cache_read_tokens: left.cache_read_tokens + right.cache_read_tokens,
  cache_write_tokens: left.cache_write_tokens + right.cache_write_tokens,
});
/** All that went in: agents differ in how they tell cached tokens apart. */
const input = (usage: TokenUsage): number =>
  usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
/** `unreported` of the witnessed tokens need not be claimed. */
const differs = (claimed: number, witnessed: number, unreported: number): boolean => {
  const tolerated = TOLERANCE * Math.max(claimed, witnessed);
  return claimed - witnessed > tolerated || witnessed - unreported - claimed > tolerated;
};

function findings(
  { usage: claimed }: NonNullable<Attempt['reported_usage']>,
  { report }: Attempt,
  meter: UsageMeter,
  usage: TokenUsage,
): AgentMeteredUsage['findings'] {
  // A call that a CLI leaves out, such as one for a title, is smaller than its average call.
  const share = Math.min(1, (report?.unreported_calls ?? 0) / Math.max(1, meter.calls));
  const isOff =
    claimed !== null &&
    (differs(input(claimed), input(usage), share * input(usage)) ||
      differs(claimed.output_tokens, usage.output_tokens, share * usage.output_tokens));
  return [
    ...(isOff
      ? [
          {
            code: 'usage_differs' as const,
            message: `the agent claims ${input(claimed)} tokens in and ${claimed.output_tokens} out; the gateway has counted ${input(usage)} and ${usage.output_tokens}`,
          },
        ]
      : []),
    ...(meter.substitution === null
      ? []
      : [
          {
            code: 'model_differs' as const,
            message: `another model has answered than was asked: ${meter.substitution}`,
          },
        ]),
  ];
}

/** The attempt with what the gateway has counted in the place of what the agent claims, which is kept beside it. */
export function applyMeteredUsage(attempt: Attempt, meter: UsageMeter): Attempt {
  const claimed = attempt.reported_usage ?? { usage: attempt.usage, cost_usd: attempt.cost_usd };
  const usage = Object.values(meter.models).reduce(add, NOTHING);
  const open = meter.openReservations.reduce((sum, each) => sum + each, 0);
  const cost = meter.unpriced > 0 ? null : roundUsd((meter.settled + open) / 1e6);
  return {
    ...attempt,
    usage,
    cost_usd: cost,
    reported_usage: claimed,
    metered_usage: {
      usage,
      usage_by_model: Object.fromEntries(Object.entries(meter.models).slice(0, KEPT)),
      cost_usd: cost,
      calls: meter.calls,
      unsettled_usd: roundUsd((meter.estimated + open) / 1e6),
      unsettled_calls: meter.openReservations.length,
      findings: findings(claimed, attempt, meter, usage),
      provider_error: meter.providerFailure && {
        code: meter.providerFailure.code,
        status: meter.providerFailure.status,
        calls: meter.providerFailure.calls,
        retry_at:
          meter.providerFailure.retryAtMs === null
            ? null
            : new Date(meter.providerFailure.retryAtMs).toISOString(),
      },
    },
  };
}

/**
 * Sets the cost of an attempt that has ended without a report to 0 where its agent has no meter: a meter exists from the first metered
 * call on. Left as it is: an attempt whose calls are not metered, and an outside agent's. A report counts as what it says, because an
 * agent may have asked models that are not behind the gateway.
 */
export function applyMissingMeter(attempt: Attempt, runner: Task['runner']): Attempt {
  const { agent, report, outcome, cost_usd } = attempt;
  if (runner !== 'managed' || outcome === null || report !== null || cost_usd !== null) return attempt;
  return agent === null || agent.model_token_sha256 !== null ? { ...attempt, cost_usd: 0 } : attempt;
}

/** The attempt with what its gates have spent. A box that was lost has spent, too: the meter is the attempt's. */
export function applyGatesUsage(attempt: Attempt, meter: UsageMeter): Attempt {
  return { ...attempt, gates_metered_usage: toJudgingUsage(meter) };
}

function toJudgingUsage({ calls, settled, openReservations, unpriced }: UsageMeter): GatesMeteredUsage {
  const reserved = openReservations.reduce((sum, each) => sum + each, 0);
  const cost_usd = unpriced > 0 ? null : roundUsd((settled + reserved) / 1e6);
  return { calls, cost_usd, unsettled_calls: openReservations.length };
}

/** The attempt with what its challenger has spent. */
export function applyChallengerUsage(attempt: Attempt, meter: UsageMeter): Attempt {
  const { challenge } = attempt;
  return challenge
    ? { ...attempt, challenge: { ...challenge, metered_usage: toJudgingUsage(meter) } }
    : attempt;
}

/** Tells whether the meter of the challenger is to be read: when it has ended, and as long as calls are open. */
export function shouldReadChallengerMeter(attempt: Attempt, before: Attempt | undefined): boolean {
  if (!attempt.challenger?.model_token_sha256) return false;
  const hasEnded = (of: Attempt | undefined): boolean => typeof of?.challenge?.outcome === 'string';
  const isOver = (of: Attempt | undefined): boolean => typeof of?.outcome === 'string';
  return (
    hasEnded(attempt) !== hasEnded(before) ||
    isOver(attempt) !== isOver(before) ||
    (attempt.challenge?.metered_usage?.unsettled_calls ?? 0) > 0
  );
}

/** Is it time to ask the meter of its gates? When they have reported, when something was decided, and as long as calls are open. */
export function shouldReadGatesMeter(attempt: Attempt, before: Attempt | undefined): boolean {
  if (!attempt.gates?.model_token_sha256) return false;
  const ends = (of: Attempt | undefined): number =>
    [of?.verification, of?.verification_failure, of?.verdict, of?.decision, of?.outcome].filter(Boolean)
      .length;
  return ends(attempt) > ends(before) || (attempt.gates_metered_usage?.unsettled_calls ?? 0) > 0;
}

/** Is it time to ask the meter about this attempt? When it has just reported or ended, and as long as calls of it are open. */
export function shouldReadAgentMeter(attempt: Attempt, before: Attempt | undefined): boolean {
  if (!attempt.agent?.model_token_sha256) return false;
  const has = (each: Attempt | undefined): number =>
    each === undefined
      ? 0
      : Number(each.report !== null) + Number(each.decision !== null) + Number(each.outcome !== null);
  return has(attempt) > has(before) || (attempt.metered_usage?.unsettled_calls ?? 0) > 0;
}

export const TOKEN_USAGE_FIELDS: readonly (keyof TokenUsage)[] = FIELDS;
