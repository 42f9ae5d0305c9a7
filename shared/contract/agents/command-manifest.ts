import { type AdapterManifest, OBSERVING_CLI_HOOK_TIMINGS } from './adapter-manifest.ts';

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
