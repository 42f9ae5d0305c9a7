import { type AgentCliManifest, INTERCEPTING_CLI_HOOK_TIMINGS } from './adapter-manifest.ts';

export const CODEX_MANIFEST = {
  install: { package: '@openai/codex', version: '0.171.0', program: 'codex' },
  vendor: 'openai',
  modelPattern: /^(?:openai\.)?(?:gpt-|o\d|codex)/,
  effortLevels: { low: 'low', normal: 'medium', medium: 'medium', high: 'high', max: 'xhigh' },
  turnLimit: false,
  costLimit: false,
  structuredOutput: true,
  sessionResume: true,
  hooks: INTERCEPTING_CLI_HOOK_TIMINGS,
  keyVariables: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  configFiles: { names: ['AGENTS.md', 'AGENTS.override.md'], folders: ['.codex', '.agents'] },
  tiers: {
    validFrom: '2026-10-01',
    models: { haiku: 'gpt-6-luna', sonnet: 'gpt-6.1-sol', opus: 'gpt-6-astra' },
  },
} as const satisfies AgentCliManifest;
