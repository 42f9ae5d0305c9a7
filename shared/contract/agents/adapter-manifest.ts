import type { ProviderName } from '../models/protocols.ts';
import type { ReasoningEffortLevel } from './effort.ts';
import type { AgentHook } from './middleware-names.ts';

/**
 * When a hook fires. `run`: with each run. `told`: with each message of the platform. `seen`: when the CLI reports a call that it has
 * made. `held`: before a call, with `pre_tool_hook`; else as `seen`. `end`: once with each run, on its last message. `never`.
 */
export type AgentHookTiming = 'run' | 'told' | 'seen' | 'held' | 'end' | 'never';
export type AgentHookTimings = Readonly<Record<AgentHook, AgentHookTiming>>;

/** Hooks of a CLI whose output reports the calls of models and tools. */
export const OBSERVING_CLI_HOOK_TIMINGS = {
  before_agent: 'run',
  before_model: 'told',
  wrap_model_call: 'seen',
  wrap_tool_call: 'seen',
  after_model: 'seen',
  after_agent: 'run',
} as const satisfies AgentHookTimings;

/** Hooks of a CLI that can ask before it calls a tool. */
export const INTERCEPTING_CLI_HOOK_TIMINGS = {
  ...OBSERVING_CLI_HOOK_TIMINGS,
  wrap_tool_call: 'held',
} as const satisfies AgentHookTimings;

/** Facts about an adapter that hold for every kind, `command` included. */
export interface AdapterManifest {
  /** Whether the CLI itself ends a run after a number of turns (`max_turns`). */
  readonly turnLimit: boolean;
  /** Calls of a run that its reported usage leaves out, such as one that makes a title; absent: none. */
  readonly unreportedCalls?: number;
  /** When each middleware hook fires. */
  readonly hooks: AgentHookTimings;
  /** Environment variables of its keys and addresses; a worker passes those that are set to the agent. */
  readonly keyVariables: readonly string[];
  /** Files of a checkout that configure it; gates and agents take them from the base commit. */
  readonly configFiles: {
    /** Glob patterns of file names, in any folder. */
    readonly names: readonly string[];
    /** Names of folders, in any folder. */
    readonly folders: readonly string[];
  };
}

/** Version of the npm package that the image installs and all tests use. */
export interface InstallPin {
  readonly package: string;
  readonly version: string;
  /** Name of the executable. */
  readonly program: string;
}

/** Everything that the platform knows about an agent CLI outside the agent container. */
export interface AgentCliManifest extends AdapterManifest {
  readonly install: InstallPin;
  /** Provider whose protocol it speaks to models. */
  readonly vendor: ProviderName;
  /** Matches the names of its provider's models; null: it takes the models of any provider. */
  readonly modelPattern: RegExp | null;
  /** Models for which this version asks for another one, whatever it is told; the key can therefore not be called with it. */
  readonly replacedModels?: Readonly<Record<string, string>>;
  /** The CLI's own names of effort levels; null: it has no such setting. */
  readonly effortLevels: Readonly<Record<ReasoningEffortLevel, string>> | null;
  /** Whether it stops at a sum of its own; the gateway always does. */
  readonly costLimit: boolean;
  readonly structuredOutput: boolean;
  readonly sessionResume: boolean;
  /** Models by tier for deployments whose own are another provider's, and the first day that they are valid. */
  readonly tiers: {
    readonly validFrom: string;
    readonly models: Readonly<Record<'haiku' | 'sonnet' | 'opus', string>>;
  } | null;
}
