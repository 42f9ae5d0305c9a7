import { type AgentCliManifest, INTERCEPTING_CLI_HOOK_TIMINGS } from './adapter-manifest.ts';

export const CLAUDE_MANIFEST = {
  install: { package: '@anthropic-ai/claude-code', version: '2.1.332', program: 'claude' },
  vendor: 'anthropic',
  modelPattern: /^(?:[\w.]+\.)?claude-|^(?:haiku|sonnet|opus)$/,
  effortLevels: { low: 'low', normal: 'medium', medium: 'medium', high: 'high', max: 'max' },
  turnLimit: true,
  costLimit: true,
  structuredOutput: true,
  sessionResume: true,
  hooks: INTERCEPTING_CLI_HOOK_TIMINGS,
  keyVariables: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
  ],
  configFiles: { names: ['CLAUDE.md', 'CLAUDE.local.md', '.mcp.json'], folders: ['.claude'] },
  tiers: {
    validFrom: '2026-09-01',
    models: { haiku: 'claude-haiku-4-5', sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5' },
  },
} as const satisfies AgentCliManifest;
