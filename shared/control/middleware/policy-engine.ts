import type { ToolCall } from './compose-middleware.ts';
import type { AgentMiddlewareSettings } from './config-section.ts';

/** What a policy is asked. */
export interface ToolPolicyRequest {
  readonly action_type: 'tool_invoke';
  readonly principal: string;
  /** Name of the tool; `unknown` where its CLI does not say. */
  readonly resource: string;
  readonly context: { readonly task_id: string; readonly attempt: number; readonly input: string };
}

/** Null: it is allowed. @throws where it cannot be asked. */
export type ToolPolicyEngine = (request: ToolPolicyRequest) => Promise<{ readonly reason: string } | null>;

export const buildToolPolicyRequest = (
  { name, input }: ToolCall,
  run: { readonly agent: string; readonly task_id: string; readonly attempt: number },
): ToolPolicyRequest => ({
  action_type: 'tool_invoke',
  principal: run.agent,
  resource: name.trim() || 'unknown',
  context: { task_id: run.task_id, attempt: run.attempt, input },
});

/** Characters of what a tool is given that a policy looks at. */
const LOOKED_AT = 20_000;

/** The rules of a base; null: it has none, and nothing is asked. The matcher cannot hang (RE2), and is loaded with the first question. */
export function createToolRulesPolicyEngine({
  forbidden_calls: forbid,
}: AgentMiddlewareSettings['policy']): ToolPolicyEngine | null {
  if (forbid.length === 0) return null;
  const compiled = async () => {
    const { RE2JS } = await import('re2js');
    return forbid.map(({ tool, matches, reason }) => ({ tool, reason, pattern: RE2JS.compile(matches) }));
  };
  let rules: ReturnType<typeof compiled> | undefined;
  return async ({ resource, context }) => {
    rules ??= compiled();
    const input = context.input.slice(0, LOOKED_AT);
    const broken = (await rules).find(
      ({ tool, pattern }) => (tool === '*' || tool === resource) && pattern.test(input),
    );
    return broken ? { reason: broken.reason } : null;
  };
}
