import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { FILE_PROTECTION_RULES } from '../../../../gates/rules/protect/protection-rules.ts';
import type { AgentCliManifest } from '../../../../shared/contract/agents/adapter-manifest.ts';
import { AGENT_CLI_KINDS } from '../../../../shared/contract/agents/adapter-manifests.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';

/** A sixth adapter that exists only as a manifest. */
const { AIDER } = vi.hoisted(() => ({
  AIDER: {
    install: { package: '@example/aider', version: '7.8.9', program: 'aider-cli' },
    vendor: 'openai',
    modelPattern: /^aider-/,
    effortLevels: null,
    turnLimit: true,
    costLimit: false,
    structuredOutput: false,
    sessionResume: false,
    hooks: {
      before_agent: 'run',
      before_model: 'told',
      wrap_model_call: 'never',
      wrap_tool_call: 'never',
      after_model: 'never',
      after_agent: 'run',
    },
    keyVariables: ['AIDER_KEY'],
    configFiles: { names: ['.aider.conf.yml'], folders: ['.aider'] },
    tiers: {
      validFrom: '2026-11-01',
      models: { haiku: 'aider-small', sonnet: 'aider-medium', opus: 'aider-large' },
    },
  } satisfies AgentCliManifest,
}));
vi.mock('../../../../shared/contract/agents/adapter-manifests.ts', async (original) => {
  type Real = typeof import('../../../../shared/contract/agents/adapter-manifests.ts');
  const real = await original<Real>();
  const clis = { ...real.AGENT_CLI_MANIFESTS, aider: AIDER };
  const all = { ...real.ADAPTER_MANIFESTS, aider: AIDER };
  return {
    ...real,
    AGENT_CLI_MANIFESTS: clis,
    AGENT_CLI_KINDS: Object.keys(clis),
    ADAPTER_MANIFESTS: all,
    ADAPTER_KINDS: Object.keys(all),
  } satisfies Record<keyof Real, unknown>;
});

describe('a sixth adapter, added only as a manifest', () => {
  it('is a valid adapter of a task, with the turn limit that its manifest declares', async () => {
    const { AgentAdapterSettings, CliKindList } = await import(
      '../../../../shared/contract/agents/adapter.ts'
    );
    expect(AgentAdapterSettings.parse({ kind: 'aider', max_turns: 5 })).toEqual({
      kind: 'aider',
      max_turns: 5,
      timeout_s: 1_800,
    });
    expect(CliKindList.parse(['aider', 'claude'])).toEqual(['aider', 'claude']);
    expect(AgentAdapterSettings.safeParse({ kind: 'codex', max_turns: 5 }).success).toBe(false);
  });

  it('is recorded as the adapter of an attempt', async () => {
    const { Attempt } = await import('../../../../shared/contract/task/attempt.ts');
    expect(Attempt.shape.adapter.safeParse('aider').success).toBe(true);
    expect(Attempt.shape.adapter.safeParse('elder').success).toBe(false);
  });

  it('gets the models of its own tiers', async () => {
    const { DEFAULT_TIER_MODELS, selectTierModels } = await import(
      '../../../../shared/contract/agents/tiers.ts'
    );
    const aider = { kind: 'aider', timeout_s: 1 } as never;
    expect(selectTierModels(aider, DEFAULT_TIER_MODELS)).toEqual(AIDER.tiers.models);
  });

  it('is refused an effort that it has no setting for, and a model of another provider', async () => {
    const { findAdapterProblems } = await import(
      '../../../../shared/control/task-commands/adapter-problems.ts'
    );
    const { DEFAULT_TIER_MODELS } = await import('../../../../shared/contract/agents/tiers.ts');
    const problems = findAdapterProblems(
      { adapter: { kind: 'aider', timeout_s: 1 }, effort: 'high', model: 'gpt-5' } as never,
      {
        defaultAdapter: { kind: 'claude', timeout_s: 1 },
        containerClis: null,
        modelVendors: ['openai'],
        tierModels: DEFAULT_TIER_MODELS,
      },
    );
    expect(problems.map(({ pointer }) => pointer)).toEqual(['/effort', '/model']);
  });

  it('is tightened by the limits of a role', async () => {
    const { applyRoleLimits } = await import('../../../../containers/agent/load-role.ts');
    const aider = { kind: 'aider', timeout_s: 100, max_turns: 9 } as never;
    expect(applyRoleLimits(aider, { max_turns: 3, timeout_s: 50 } as never)).toMatchObject({
      timeout_s: 50,
      max_turns: 3,
    });
  });

  it('is installed in the image in its pinned version', async () => {
    const { renderCliVersionPins } = await import('../../../../shared/contract/agents/adapter-install.ts');
    expect(JSON.parse(renderCliVersionPins())).toMatchObject({ aider: AIDER.install });
  });

  it('has its configuration files taken from the base commit', () => {
    const { names, paths } = FILE_PROTECTION_RULES.find((rule) => rule.kind === 'agent_config') ?? {};
    expect(names).toContain('.aider.conf.yml');
    expect(paths).toContain('**/.aider/**');
  });

  it('is found on the path of the embedded stack by its program, and named by its kind', async () => {
    const { findInstalledClis } = await import('../../../../local/installed-clis.ts');
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, 'aider-cli'), '');
    chmodSync(join(folder, 'aider-cli'), 0o755);
    expect(findInstalledClis(folder)).toEqual(['aider']);
  });

  it('is listed by the command line and by the documentation', async () => {
    const { runCli } = await import('../../../../cli/run-cli.ts');
    let printed = '';
    const out = {
      columns: 120,
      isTTY: false,
      write: (text: string) => {
        printed += text;
      },
    };
    const io = { env: { PATH: '/nowhere' }, cwd: '/', stdout: out, stderr: out, readStdin: async () => '' };
    expect(await runCli(['adapters', 'list'], io)).toBe(0);
    expect(printed).toMatch(/aider +not installed +7\.8\.9/);
    await runCli(['worker', '--help'], io);
    expect(printed).toMatch(/aider: maximum turns/);
    const { adaptersPage } = await import('../../../../docs/generator/adapters.ts');
    expect(adaptersPage()).toMatch(/\| `aider` \| @example\/aider 7\.8\.9 \|/);
    expect(adaptersPage()).toContain('### aider 7.8.9');
  });
});

/** Files that may name a single agent CLI in code: its own, the tables of adapters, and what tests it for real. */
const OWN_FILES =
  /^(?:shared\/contract\/agents\/(?:[a-z]+-manifest|adapter-manifests)\.ts|containers\/agent\/adapters\/|lab\/agent-clis\/)/;
/** `gemini` is also the name of a provider and of a model family, which are no adapters. */
const NAMES_OF_OTHER_THINGS = ['gemini', 'claude'];

it('no other source file names an agent CLI', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(file) && !/^test\//.test(file) && !OWN_FILES.test(file));
  const naming = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return AGENT_CLI_KINDS.filter((kind) => kind !== ('aider' as string)).flatMap((kind) => {
      const named = NAMES_OF_OTHER_THINGS.includes(kind)
        ? new RegExp(`kind(?:: | [!=]== )'${kind}'|\\[[^\\]\\n]*'${kind}'[^\\]\\n]*'codex'`)
        : new RegExp(`'${kind}'|^ *${kind}: [{[]`, 'm');
      return named.test(text) ? [`${file} names ${kind}`] : [];
    });
  });
  expect(naming).toEqual([]);
});
