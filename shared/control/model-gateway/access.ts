import { mintModelToken } from '../../contract/access/tokens.ts';
import type { TierModels } from '../../contract/agents/tiers.ts';
import type { ModelAccess, Opinions } from '../../contract/messages/assignment.ts';
import { forBox } from '../../contract/models/box.ts';
import { allModels, type JudgeModels } from '../../contract/models/models.ts';
import { BASE_PATH } from '../../contract/models/protocols.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { adapterOf } from '../cascade/detour.ts';
import { allowedModels } from './grant.ts';

/** The gateway that a deployment's agents reach models by. */
export interface ModelGateway {
  /** Without a slash at the end. */
  readonly url: string;
  /** True for our own, which counts. */
  readonly witnesses: boolean;
  readonly tiers: TierModels;
  /** What gates may ask, of our own gateway only. */
  readonly judges: JudgeModels;
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

/** Access of the gates of one attempt to what they may ask; null where nothing is configured, or the gateway is not ours. */
export function opinionAccess(
  { id }: Pick<Task, 'id'>,
  { number }: Pick<Attempt, 'number'>,
  { url, witnesses, judges }: ModelGateway,
): Opinions | null {
  return witnesses && allModels(judges, 'box').length > 0
    ? { token: mintModelToken(id, number, 'gates'), models: forBox(judges, url) }
    : null;
}
