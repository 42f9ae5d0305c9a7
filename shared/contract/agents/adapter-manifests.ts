import {
  type AdapterManifest,
  type AgentCliManifest,
  OBSERVING_CLI_HOOK_TIMINGS,
} from './adapter-manifest.ts';
import { CLAUDE_MANIFEST } from './claude-manifest.ts';
import { CODEX_MANIFEST } from './codex-manifest.ts';
import { COPILOT_MANIFEST } from './copilot-manifest.ts';
import { GEMINI_MANIFEST } from './gemini-manifest.ts';
import { OPENCODE_MANIFEST } from './opencode-manifest.ts';
import { QWEN_MANIFEST } from './qwen-manifest.ts';

/** Agent CLIs by adapter kind. Schemas, images, file protection, commands and docs follow from this table. */
export const AGENT_CLI_MANIFESTS = {
  claude: CLAUDE_MANIFEST,
  codex: CODEX_MANIFEST,
  gemini: GEMINI_MANIFEST,
  opencode: OPENCODE_MANIFEST,
  qwen: QWEN_MANIFEST,
  copilot: COPILOT_MANIFEST,
} as const satisfies Readonly<Record<string, AgentCliManifest>>;
export type AgentCliKind = keyof typeof AGENT_CLI_MANIFESTS;
export const AGENT_CLI_KINDS = Object.keys(AGENT_CLI_MANIFESTS) as readonly AgentCliKind[];

/** The agent CLI of deployments that name none; its models are the default models. */
export const DEFAULT_AGENT_CLI = 'claude' satisfies AgentCliKind;

/** Any program: the platform knows only what it prints and its exit code. */
export const COMMAND_ADAPTER_MANIFEST = {
  turnLimit: false,
  hooks: {
    ...OBSERVING_CLI_HOOK_TIMINGS,
    wrap_model_call: 'end',
    wrap_tool_call: 'never',
    after_model: 'end',
  },
  keyVariables: [],
  configFiles: { names: [], folders: [] },
} as const satisfies AdapterManifest;

export const ADAPTER_MANIFESTS = {
  ...AGENT_CLI_MANIFESTS,
  command: COMMAND_ADAPTER_MANIFEST,
} as const satisfies Readonly<Record<string, AdapterManifest>>;
export type AdapterKind = keyof typeof ADAPTER_MANIFESTS;
export const ADAPTER_KINDS = Object.keys(ADAPTER_MANIFESTS) as readonly AdapterKind[];
