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
  base_urls: {
    anthropic: `${gateway.url}${PROVIDER_BASE_PATHS.anthropic}`,
    openai: `${gateway.url}${PROVIDER_BASE_PATHS.openai}`,
    gemini: `${gateway.url}${PROVIDER_BASE_PATHS.gemini}`,
  },
  models: [...allowedModels(attempt, resolveAttemptAdapter(task, attempt), gateway.tiers)],
  metered: gateway.metersUsage,
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
