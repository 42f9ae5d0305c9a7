import type { AdapterKind } from '../../../shared/contract/agents/adapter.ts';
import type { AgentAdapter } from './adapter.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { command } from './command.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

export const AGENT_ADAPTERS: Readonly<Record<AdapterKind, AgentAdapter>> = {
  claude,
  codex,
  gemini,
  opencode,
  command,
};
