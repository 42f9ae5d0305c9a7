import type { AgentAssignment } from '../../../shared/contract/messages/assignment.ts';
import type { CountMatches } from '../../../shared/control/middleware/authority.ts';
import { rulesEngine } from '../../../shared/control/middleware/policy.ts';
import type { AgentMiddlewareSettings } from '../../../shared/control/middleware/section.ts';
import { AGENT_ADAPTERS } from '../adapters/registry.ts';
import type { Wrapping } from '../places.ts';
import { Around } from './around.ts';
import { type Door, openDoor } from './door.ts';

/** Counts matches of patterns that a base has brought, by a matcher that cannot hang. */
async function countSafely(): Promise<CountMatches> {
  const { RE2JS } = await import('re2js');
  return (pattern, text) => {
    const matcher = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).matcher(text);
    let count = 0;
    while (matcher.find()) count++;
    return count;
  };
}

export interface Wrapped {
  readonly around: Around;
  readonly door: Door | null;
}

/** What is wrapped around the runs of an attempt; null: nothing. */
export async function wrap(
  { task_id, attempt, adapter, title, prompt, around: told }: AgentAssignment,
  settings: AgentMiddlewareSettings,
): Promise<Wrapped | null> {
  if (settings.chain.length === 0) return null;
  const around = new Around({
    run: { task_id, attempt, agent: adapter.kind },
    task: {
      title,
      description: told?.description ?? prompt.TASK_DESCRIPTION ?? '',
      criteria: told?.acceptance_criteria ?? [],
      parent: told?.parent ?? null,
      root_sha256: told?.root_sha256 ?? null,
    },
    settings,
    errorActions: told?.error_actions ?? {},
    allowed: told?.allowed ?? [],
    policy: rulesEngine(settings.policy),
    ...(settings.authority_deference.patterns && { countMatches: await countSafely() }),
  });
  const { policy, hold_tools = policy.evaluation_mode === 'enforce' } = settings;
  const holds = hold_tools && AGENT_ADAPTERS[adapter.kind].holds === true;
  return { around, door: holds ? await openDoor(around) : null };
}

/** The same, as far as it is about what the agent is told at its start. */
export const wrapping = (wrapped: Wrapped | null): Wrapping => ({
  begins: async (text) => wrapped?.around.begins(text) ?? null,
  tell: async (message) => wrapped?.around.tell(message) ?? message,
  holdUrl: wrapped?.door?.url ?? null,
});
