import type { AdapterKind } from '../../../shared/contract/agents/adapter-manifests.ts';
import type { AgentAdapter } from './adapter.ts';
import { claudeAdapter } from './claude.ts';
import { codexAdapter } from './codex.ts';
import { commandAdapter } from './command.ts';
import { copilotAdapter } from './copilot.ts';
import { geminiAdapter } from './gemini.ts';
import { openCodeAdapter } from './opencode.ts';
import { qwenAdapter } from './qwen.ts';

export const AGENT_ADAPTERS: Readonly<Record<AdapterKind, AgentAdapter>> = {
  claude: claudeAdapter,
  codex: codexAdapter,
  gemini: geminiAdapter,
  opencode: openCodeAdapter,
  qwen: qwenAdapter,
  copilot: copilotAdapter,
  command: commandAdapter,
};
