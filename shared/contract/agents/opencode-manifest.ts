import { type AgentCliManifest, INTERCEPTING_CLI_HOOK_TIMINGS } from './adapter-manifest.ts';

export const OPENCODE_MANIFEST = {
  install: { package: 'opencode-ai', version: '1.18.33', program: 'opencode' },
  vendor: 'openai',
  modelPattern: null,
  effortLevels: { low: 'low', normal: 'medium', medium: 'medium', high: 'high', max: 'max' },
  turnLimit: false,
  costLimit: false,
  structuredOutput: false,
  sessionResume: true,
  // The one that makes the title of the session.
  unreportedCalls: 1,
  hooks: INTERCEPTING_CLI_HOOK_TIMINGS,
  keyVariables: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
  configFiles: { names: ['AGENTS.md', 'opencode.json{,c}'], folders: ['.opencode'] },
  tiers: null,
} as const satisfies AgentCliManifest;
