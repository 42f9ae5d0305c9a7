import { type AgentCliManifest, OBSERVING_CLI_HOOK_TIMINGS } from './adapter-manifest.ts';

export const QWEN_MANIFEST = {
  install: { package: '@qwen-code/qwen-code', version: '0.24.4', program: 'qwen' },
  vendor: 'openai',
  modelPattern: null,
  effortLevels: null,
  turnLimit: true,
  costLimit: false,
  structuredOutput: false,
  sessionResume: true,
  hooks: OBSERVING_CLI_HOOK_TIMINGS,
  keyVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'DASHSCOPE_API_KEY'],
  configFiles: { names: ['QWEN.md', 'AGENTS.md', '.qwenignore'], folders: ['.qwen'] },
  tiers: null,
} as const satisfies AgentCliManifest;
