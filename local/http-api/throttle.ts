import { createResourcePropertyReader, type PropertyReader } from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';

interface Limit {
  /** Requests a second; null: as many as come. */
  readonly rate: number | null;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** When it was last filled, in milliseconds. */
  at: number;
}

/** A route without its own settings has those of the stage, in its own bucket. */
function limitIn(settings: PropertyReader, otherwise: Limit): Limit {
  const rate = settings.number('ThrottlingRateLimit', otherwise.rate);
  return { rate, burst: settings.number('ThrottlingBurstLimit', rate ?? otherwise.burst) };
}

/**
 * Creates the check whether a route may take one more request: a token bucket for each route, with the limits
 * of the stage. Every request counts, before the authorizer is called.
 */
export function createThrottle(
  resources: readonly ResolvedResource[],
  now = Date.now,
): (routeKey: string) => boolean {
  const stage = resources.find(({ type }) => type === 'AWS::ApiGatewayV2::Stage');
  if (stage === undefined) return () => true;
  const properties = createResourcePropertyReader(stage);
  const settings = properties.record('RouteSettings');
  const otherwise = limitIn(properties.record('DefaultRouteSettings'), { rate: null, burst: 0 });
  const limits = new Map(
    Object.keys(settings.values).map((key) => [key, limitIn(settings.record(key), otherwise)]),
  );
  const buckets = new Map<string, Bucket>();
  return (routeKey) => {
    const { rate, burst } = limits.get(routeKey) ?? otherwise;
    if (rate === null) return true;
    const at = now();
    const { tokens, at: before } = buckets.get(routeKey) ?? { tokens: burst, at };
    const filled = Math.min(burst, tokens + ((at - before) / 1_000) * rate);
    buckets.set(routeKey, { tokens: filled < 1 ? filled : filled - 1, at });
    return filled >= 1;
  };
}
