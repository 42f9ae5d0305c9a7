import { type AgentCliManifest, INTERCEPTING_CLI_HOOK_TIMINGS } from './adapter-manifest.ts';

export const GEMINI_MANIFEST = {
  install: { package: '@google/gemini-cli', version: '0.61.0', program: 'gemini' },
  vendor: 'gemini',
  modelPattern: /^(?:models\/)?gemini-/,
  replacedModels: {
    'gemini-3-flash': 'gemini-3.8-flash',
    'gemini-3.5-flash': 'gemini-3.8-flash',
    'gemini-3.1-flash-lite': 'gemini-3.5-flash-lite',
  },
  effortLevels: null,
  turnLimit: true,
  costLimit: false,
  structuredOutput: false,
  sessionResume: true,
  hooks: INTERCEPTING_CLI_HOOK_TIMINGS,
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
  configFiles: { names: ['GEMINI.md', '.geminiignore'], folders: ['.gemini'] },
  tiers: {
    validFrom: '2026-09-02',
    models: { haiku: 'gemini-2.5-flash', sonnet: 'gemini-3.8-flash', opus: 'gemini-3.1-pro-preview' },
  },
} as const satisfies AgentCliManifest;
