import { adapterOf } from '../cascade/detour.ts';
import type { TierModels } from '../cascade/tiers.ts';
import type { ModelAccess } from '../messages/assignment.ts';
import type { Attempt } from '../task/attempt.ts';
import type { Task } from '../task/task.ts';
import { mintModelToken } from '../tokens.ts';
import { allowedModels } from './grant.ts';
import { BASE_PATH } from './protocols.ts';

/** The gateway that a deployment's agents reach models by. */
export interface ModelGateway {
  /** Without a slash at the end. */
  readonly url: string;
  /** True for our own, which counts. */
  readonly witnesses: boolean;
  readonly tiers: TierModels;
}

/** Access to models for one attempt, with a token of its own. */
export const modelAccess = (
  { id, ...task }: Pick<Task, 'id' | 'adapter'>,
  attempt: Attempt,
  gateway: ModelGateway,
): ModelAccess => ({
  token: mintModelToken(id, attempt.number),
  base_urls: {
    anthropic: `${gateway.url}${BASE_PATH.anthropic}`,
    openai: `${gateway.url}${BASE_PATH.openai}`,
    gemini: `${gateway.url}${BASE_PATH.gemini}`,
  },
  models: [...allowedModels(attempt, adapterOf(task, attempt), gateway.tiers)],
  witnessed: gateway.witnesses,
});
