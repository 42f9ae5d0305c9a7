import type { ProviderName } from '../models/protocols.ts';
import type { CliKind } from './adapter.ts';
import type { AgentHook } from './names.ts';

/**
 * How a hook comes about. `run`: with each run. `told`: with each message of the platform. `seen`: with what the CLI shows of a call, when
 * it has been made. `held`: before a call is made, with `hold_tools`; else seen. `end`: once with each run, on its last words. `never`.
 */
export type HookWord = 'run' | 'told' | 'seen' | 'held' | 'end' | 'never';
export type HookFacts = Readonly<Record<AgentHook, HookWord>>;

const SEEN = {
  before_agent: 'run',
  before_model: 'told',
  wrap_model_call: 'seen',
  wrap_tool_call: 'seen',
  after_model: 'seen',
  after_agent: 'run',
} as const satisfies HookFacts;

/** Of a CLI that can be made to ask. */
const HELD = { ...SEEN, wrap_tool_call: 'held' } as const satisfies HookFacts;

/** Of a program of which nothing is known but what it prints. */
export const COMMAND_HOOKS: HookFacts = {
  ...SEEN,
  wrap_model_call: 'end',
  wrap_tool_call: 'never',
  after_model: 'end',
};

type Tiers = Readonly<Record<'haiku' | 'sonnet' | 'opus', string>>;

/** What an agent CLI, at the version in cli-versions.json, can be asked for. */
export interface AdapterFacts {
  /** Whose protocol it speaks to models. */
  readonly vendor: ProviderName;
  /** Names of the models that its provider has; null: it takes any provider's. */
  readonly models: RegExp | null;
  readonly effort: boolean;
  readonly turns: boolean;
  /** Whether it stops at a sum of its own; the gateway always does. */
  readonly budget: boolean;
  readonly structured: boolean;
  readonly resume: boolean;
  /** Where middleware around its run really acts. */
  readonly hooks: HookFacts;
  /** Models by tier where a deployment's own are another provider's, and the day since when. */
  readonly tiers: { readonly since: string; readonly models: Tiers } | null;
}

export const ADAPTER_FACTS = {
  claude: {
    vendor: 'anthropic',
    models: /^(?:[\w.]+\.)?claude-|^(?:haiku|sonnet|opus)$/,
    effort: true,
    turns: true,
    budget: true,
    structured: true,
    resume: true,
    hooks: HELD,
    tiers: {
      since: '2026-09-01',
      models: { haiku: 'claude-haiku-4-5', sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5' },
    },
  },
  codex: {
    vendor: 'openai',
    models: /^(?:openai\.)?(?:gpt-|o\d|codex)/,
    effort: true,
    turns: false,
    budget: false,
    structured: true,
    resume: true,
    hooks: HELD,
    tiers: {
      since: '2026-10-01',
      models: { haiku: 'gpt-6-luna', sonnet: 'gpt-6.1-sol', opus: 'gpt-6-astra' },
    },
  },
  gemini: {
    vendor: 'gemini',
    models: /^(?:models\/)?gemini-/,
    effort: false,
    turns: true,
    budget: false,
    structured: false,
    resume: true,
    hooks: HELD,
    tiers: {
      since: '2026-05-01',
      models: { haiku: 'gemini-2.5-flash', sonnet: 'gemini-3.5-flash', opus: 'gemini-3.1-pro-preview' },
    },
  },
  opencode: {
    vendor: 'openai',
    models: null,
    effort: true,
    turns: false,
    budget: false,
    structured: false,
    resume: true,
    hooks: HELD,
    tiers: null,
  },
} as const satisfies Readonly<Record<CliKind, AdapterFacts>>;
