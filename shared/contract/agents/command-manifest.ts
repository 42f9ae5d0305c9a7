import { type AdapterManifest, OBSERVED_HOOKS } from './adapter-manifest.ts';

/** Any program: the platform knows only what it prints and its exit code. */
export const COMMAND_MANIFEST = {
  turnLimit: false,
  hooks: { ...OBSERVED_HOOKS, wrap_model_call: 'end', wrap_tool_call: 'never', after_model: 'end' },
  keyVariables: [],
  configFiles: { names: [], folders: [] },
} as const satisfies AdapterManifest;
