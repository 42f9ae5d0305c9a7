import { mintModelToken } from '../../contract/access/tokens.ts';
import type { TierModels } from '../../contract/agents/tiers.ts';
import type { AgentModelAccess, GatesModelAccess } from '../../contract/messages/assignment.ts';
import { routeModelsThroughGateway } from '../../contract/models/gates-models.ts';
import { allJudgeModels, type JudgeModels } from '../../contract/models/judge-models.ts';
import { PROVIDER_BASE_PATHS } from '../../contract/models/protocols.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { resolveAttemptAdapter } from '../cascade/provider-fallback.ts';
import { allowedModels } from './model-grant.ts';

/** The gateway that a deployment's agents reach models by. */
export interface ModelGatewaySettings {
  /** Without a slash at the end. */
  readonly url: string;
  /** True for our own, which counts. */
  readonly metersUsage: boolean;
  readonly tiers: TierModels;
  /** What gates may ask, of our own gateway only. */
  readonly judges: JudgeModels;
}

/** Access to models for one attempt, with a token of its own. */
export const agentModelAccess = (
  { id, ...task }: Pick<Task, 'id' | 'adapter'>,
  attempt: Attempt,
  gateway: ModelGatewaySettings,
): AgentModelAccess => ({
  token: mintModelToken(id, attempt.number),
  base_urls: baseUrls(gateway.url),
  models: [...allowedModels(attempt, resolveAttemptAdapter(task, attempt), gateway.tiers)],
  metered: gateway.metersUsage,
});

/** Access of a challenger to its model and to the adjudicator, by one token; null where the gateway is not ours. */
export function challengerModelAccess(
  { id }: Pick<Task, 'id'>,
  { number }: Pick<Attempt, 'number'>,
  { url, metersUsage, judges }: ModelGatewaySettings,
): { readonly model: AgentModelAccess; readonly judge: GatesModelAccess } | null {
  const { challenger, adjudicator } = judges;
  if (!metersUsage || !challenger) return null;
  const token = mintModelToken(id, number, 'challenger');
  return {
    model: { token, base_urls: baseUrls(url), models: [challenger.model], metered: true },
    judge: { token, models: routeModelsThroughGateway(adjudicator ? { adjudicator } : {}, url) },
  };
}

const baseUrls = (url: string): AgentModelAccess['base_urls'] => ({
  anthropic: `${url}${PROVIDER_BASE_PATHS.anthropic}`,
  openai: `${url}${PROVIDER_BASE_PATHS.openai}`,
  gemini: `${url}${PROVIDER_BASE_PATHS.gemini}`,
});

/** Access of the gates of one attempt to what they may ask; null where nothing is configured, or the gateway is not ours. */
export function gatesModelAccess(
  { id }: Pick<Task, 'id'>,
  { number }: Pick<Attempt, 'number'>,
  { url, metersUsage, judges }: ModelGatewaySettings,
): GatesModelAccess | null {
  return metersUsage && allJudgeModels(judges, 'container').length > 0
    ? { token: mintModelToken(id, number, 'gates'), models: routeModelsThroughGateway(judges, url) }
    : null;
}
