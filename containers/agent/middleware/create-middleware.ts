import type { AgentAssignment } from '../../../shared/contract/messages/assignment.ts';
import type { CountPatternMatches } from '../../../shared/control/middleware/authority-cues.ts';
import type { AgentMiddlewareSettings } from '../../../shared/control/middleware/config-section.ts';
import { createToolRulesPolicyEngine } from '../../../shared/control/middleware/policy-engine.ts';
import { AGENT_ADAPTERS } from '../adapters/registry.ts';
import type { PromptHooks } from '../workspace-layout.ts';
import { AgentRunMiddleware } from './agent-run-middleware.ts';
import { startToolHookServer, type ToolHookServer } from './hook-server.ts';

/** Counts matches of patterns that a base has brought, by a matcher that cannot hang. */
async function countSafely(): Promise<CountPatternMatches> {
  const { RE2JS } = await import('re2js');
  return (pattern, text) => {
    const matcher = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).matcher(text);
    let count = 0;
    while (matcher.find()) count++;
    return count;
  };
}

export interface MiddlewareRuntime {
  readonly middleware: AgentRunMiddleware;
  readonly hookServer: ToolHookServer | null;
}

/** What is wrapped around the runs of an attempt; null: nothing. */
export async function createAgentRunMiddleware(
  { task_id, attempt, adapter, title, prompt, middleware_context: told }: AgentAssignment,
  settings: AgentMiddlewareSettings,
): Promise<MiddlewareRuntime | null> {
  if (settings.chain.length === 0) return null;
  const around = new AgentRunMiddleware({
    run: { task_id, attempt, agent: adapter.kind },
    task: {
      title,
      description: told?.description ?? prompt.TASK_DESCRIPTION ?? '',
      criteria: told?.acceptance_criteria ?? [],
      parent: told?.origin_task_id ?? null,
      root_content_sha256: told?.root_content_sha256 ?? null,
    },
    settings,
    errorActionOverrides: told?.error_action_overrides ?? {},
    approvedActions: told?.approved_actions ?? [],
    policy: createToolRulesPolicyEngine(settings.policy),
    ...(settings.authority_deference.patterns && { countMatches: await countSafely() }),
  });
  const { policy, pre_tool_hook = policy.evaluation_mode === 'enforce' } = settings;
  const holds = pre_tool_hook && AGENT_ADAPTERS[adapter.kind].supportsToolHook === true;
  return { middleware: around, hookServer: holds ? await startToolHookServer(around) : null };
}

/** The same, as far as it is about what the agent is told at its start. */
export const buildPromptHooks = (wrapped: MiddlewareRuntime | null): PromptHooks => ({
  beforeAgent: async (text) => wrapped?.middleware.beforeAgent(text) ?? null,
  beforeModel: async (message) => wrapped?.middleware.beforeModel(message) ?? message,
  toolHookUrl: wrapped?.hookServer?.url ?? null,
});
