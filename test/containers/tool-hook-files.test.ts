import { expect, it } from 'vitest';
import type { AgentInvocationInput } from '../../containers/agent/adapters/adapter.ts';
import { AGENT_ADAPTERS } from '../../containers/agent/adapters/registry.ts';
import { AGENT_CLI_KINDS } from '../../shared/contract/agents/adapter-manifests.ts';

const URL = 'http://127.0.0.1:4711/secret-path';
const HOME = '/container/agent/home';
const HOOKS = '/container/agent/hooks';

const inputOf = (kind: string): AgentInvocationInput =>
  ({
    assignment: { adapter: { kind, timeout_s: 60 }, model: 'm', effort: 'normal' },
    layout: { home: HOME, hookFolder: HOOKS, isHookFolderProtected: true },
    fullPrompt: 'do it',
    promptArgument: 'do it',
    modelAccess: null,
    instructions: { role: 'role', repository: null, file: '/container/agent/tmp/instructions.md' },
    maxCostUsd: null,
    toolHookUrl: URL,
    runsAsRoot: false,
  }) as unknown as AgentInvocationInput;

it.each(AGENT_CLI_KINDS.filter((kind) => AGENT_ADAPTERS[kind].supportsToolHook))(
  'keeps everything that makes %s ask before a call where the agent cannot write',
  (kind) => {
    const { argv, env, files } = AGENT_ADAPTERS[kind].invoke(inputOf(kind));
    const ofHooks = Object.entries(files).filter(([, text]) => text.includes(URL) || text.includes('fetch('));
    // No configuration of hooks, and no program that a hook runs, lies in the home.
    expect(ofHooks.filter(([path]) => !path.startsWith(`${HOOKS}/`))).toEqual([]);
    // The hook is in the arguments, or in a file that the environment names.
    const named = [...argv, ...Object.values(env)].join(' ');
    expect(
      named.includes(URL) ||
        ofHooks.some(([path]) => named.includes(path)) ||
        env['XDG_CONFIG_HOME'] === HOOKS,
    ).toBe(true);
    expect(named).not.toMatch(/home\/\S*(?:ask\.mjs|hold\.js)/);
  },
);

it('gives the hook of a CLI whose settings can turn a hook off by its name another name at each start', () => {
  const settings = () => AGENT_ADAPTERS.gemini.invoke(inputOf('gemini')).files[`${HOOKS}/gemini.json`];
  expect(settings()).toMatch(/assay-[0-9a-f-]{36}/);
  expect(settings()).not.toBe(settings());
});
