import type { ProviderName } from '../models/protocols.ts';
import type { AgentCliKind } from './adapter.ts';
import type { AgentHook } from './middleware-names.ts';

/**
 * How a hook comes about. `run`: with each run. `told`: with each message of the platform. `seen`: with what the CLI shows of a call, when
 * it has been made. `held`: before a call is made, with `hold_tools`; else seen. `end`: once with each run, on its last words. `never`.
 */
export type HookSupport = 'run' | 'told' | 'seen' | 'held' | 'end' | 'never';
export type HookSupportTable = Readonly<Record<AgentHook, HookSupport>>;

const OBSERVED_HOOKS = {
  before_agent: 'run',
  before_model: 'told',
  wrap_model_call: 'seen',
  wrap_tool_call: 'seen',
  after_model: 'seen',
  after_agent: 'run',
} as const satisfies HookSupportTable;

/** Of a CLI that can be made to ask. */
const INTERCEPTED_HOOKS = { ...OBSERVED_HOOKS, wrap_tool_call: 'held' } as const satisfies HookSupportTable;

/** Of a program of which nothing is known but what it prints. */
export const COMMAND_ADAPTER_HOOKS: HookSupportTable = {
  ...OBSERVED_HOOKS,
  wrap_model_call: 'end',
  wrap_tool_call: 'never',
  after_model: 'end',
};

type Tiers = Readonly<Record<'haiku' | 'sonnet' | 'opus', string>>;

/** What an agent CLI, at the version in cli-versions.json, can be asked for. */
export interface AdapterCapabilities {
  /** Whose protocol it speaks to models. */
  readonly vendor: ProviderName;
  /** Names of the models that its provider has; null: it takes any provider's. */
  readonly modelPattern: RegExp | null;
  readonly effortSetting: boolean;
  readonly turnLimit: boolean;
  /** Whether it stops at a sum of its own; the gateway always does. */
  readonly costLimit: boolean;
  readonly structuredOutput: boolean;
  readonly sessionResume: boolean;
  /** Where middleware around its run really acts. */
  readonly hooks: HookSupportTable;
  /** Models by tier where a deployment's own are another provider's, and the day since when. */
  readonly tiers: { readonly validFrom: string; readonly models: Tiers } | null;
}

export const ADAPTER_CAPABILITIES = {
  claude: {
    vendor: 'anthropic',
    modelPattern: /^(?:[\w.]+\.)?claude-|^(?:haiku|sonnet|opus)$/,
    effortSetting: true,
    turnLimit: true,
    costLimit: true,
    structuredOutput: true,
    sessionResume: true,
    hooks: INTERCEPTED_HOOKS,
    tiers: {
      validFrom: '2026-09-01',
      models: { haiku: 'claude-haiku-4-5', sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5' },
    },
  },
  codex: {
    vendor: 'openai',
    modelPattern: /^(?:openai\.)?(?:gpt-|o\d|codex)/,
    effortSetting: true,
    turnLimit: false,
    costLimit: false,
    structuredOutput: true,
    sessionResume: true,
    hooks: INTERCEPTED_HOOKS,
    tiers: {
      validFrom: '2026-10-01',
      models: { haiku: 'gpt-6-luna', sonnet: 'gpt-6.1-sol', opus: 'gpt-6-astra' },
    },
  },
  gemini: {
    vendor: 'gemini',
    modelPattern: /^(?:models\/)?gemini-/,
    effortSetting: false,
    turnLimit: true,
    costLimit: false,
    structuredOutput: false,
    sessionResume: true,
    hooks: INTERCEPTED_HOOKS,
    tiers: {
      validFrom: '2026-05-01',
      models: { haiku: 'gemini-2.5-flash', sonnet: 'gemini-3.5-flash', opus: 'gemini-3.1-pro-preview' },
    },
  },
  opencode: {
    vendor: 'openai',
    modelPattern: null,
    effortSetting: true,
    turnLimit: false,
    costLimit: false,
    structuredOutput: false,
    sessionResume: true,
    hooks: INTERCEPTED_HOOKS,
    tiers: null,
  },
} as const satisfies Readonly<Record<AgentCliKind, AdapterCapabilities>>;
