/** Where middleware may act around one run of an agent, in the order of a run. */
export const AGENT_HOOKS = [
  'before_agent',
  'before_model',
  'wrap_model_call',
  'wrap_tool_call',
  'after_model',
  'after_agent',
] as const;
export type AgentHook = (typeof AGENT_HOOKS)[number];

/** The usual chain around an agent's run, outermost first. */
export const DEFAULT_MIDDLEWARE_CHAIN = [
  'checkpoint_resume',
  'delegation_chain_hash',
  'authority_deference',
  'sanitize_message',
  'security_interceptor',
  'policy_gate',
  'approval_gate',
  'assumption_violation',
  'classification',
  'cost_recording',
] as const;

/** What is there, and in no chain unless it is named or switched on. */
export const OPT_IN_AGENT_MIDDLEWARE_NAMES = ['semantic_drift_detector'] as const;

export const MIDDLEWARE_NAMES = [...DEFAULT_MIDDLEWARE_CHAIN, ...OPT_IN_AGENT_MIDDLEWARE_NAMES] as const;
export type MiddlewareName = (typeof MIDDLEWARE_NAMES)[number];
