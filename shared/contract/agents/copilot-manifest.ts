import { type AgentCliManifest, OBSERVING_CLI_HOOK_TIMINGS } from './adapter-manifest.ts';

export const COPILOT_MANIFEST = {
  install: { package: '@github/copilot', version: '1.0.102', program: 'copilot' },
  vendor: 'openai',
  modelPattern: null,
  effortLevels: { low: 'low', normal: 'medium', medium: 'medium', high: 'high', max: 'xhigh' },
  turnLimit: false,
  costLimit: false,
  structuredOutput: false,
  sessionResume: true,
  hooks: OBSERVING_CLI_HOOK_TIMINGS,
  keyVariables: [
    'COPILOT_GITHUB_TOKEN',
    'COPILOT_PROVIDER_API_KEY',
    'COPILOT_PROVIDER_BASE_URL',
    'COPILOT_PROVIDER_BEARER_TOKEN',
  ],
  configFiles: {
    names: ['AGENTS.md', 'copilot-instructions.md', '.mcp.json'],
    folders: ['.copilot', '.github/copilot', '.github/hooks', '.github/instructions'],
  },
  tiers: null,
} as const satisfies AgentCliManifest;
