import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentAdapterStatus } from '../../cli/commands/adapters.ts';
import { runCli } from '../../cli/run-cli.ts';
import { JSON_OUTPUTS } from '../../docs/generator/cli.ts';
import { AGENT_CLI_KINDS, AGENT_CLI_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';

/** A folder of programs that say their version, or do as they are told. */
function programs(scripts: Readonly<Record<string, string>>): string {
  const dir = createTemporaryFolder();
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(dir, name), 0o755);
  }
  return dir;
}

async function list(path: string, ...args: string[]): Promise<string> {
  let out = '';
  const stream = {
    write: (text: string) => {
      out += text;
    },
    isTTY: false,
    columns: 120,
  };
  const code = await runCli(['adapters', 'list', ...args], {
    env: { PATH: path },
    cwd: path,
    stdout: stream,
    stderr: stream,
    readStdin: async () => '',
  });
  expect(code).toBe(0);
  return out;
}
const listed = async (path: string): Promise<AgentAdapterStatus[]> =>
  (JSON.parse(await list(path, '--json')) as { adapters: AgentAdapterStatus[] }).adapters;

describe('assay adapters list', () => {
  test('says which CLIs are here, in which version, and which is tested', async () => {
    const path = programs({
      claude: 'echo "2.1.330 (Claude Code)"',
      codex: 'echo codex-cli 0.1.0',
      gemini: 'exit 1',
    });
    const adapters = await listed(path);
    expect(adapters.map(({ kind, here, version }) => [kind, here, version])).toEqual([
      ['claude', '2.1.330', AGENT_CLI_MANIFESTS.claude.install.version],
      ['codex', '0.1.0', AGENT_CLI_MANIFESTS.codex.install.version],
      ['gemini', 'does not start', AGENT_CLI_MANIFESTS.gemini.install.version],
      ['opencode', null, AGENT_CLI_MANIFESTS.opencode.install.version],
      ['qwen', null, AGENT_CLI_MANIFESTS.qwen.install.version],
      ['copilot', null, AGENT_CLI_MANIFESTS.copilot.install.version],
    ]);
    const table = await list(path);
    for (const kind of AGENT_CLI_KINDS) expect(table).toContain(kind);
    expect(table).toContain('not installed');
  });

  test('has the documented JSON', async () => {
    const [documented] = (
      JSON.parse(JSON_OUTPUTS.get('adapters list')?.example ?? '') as { adapters: object[] }
    ).adapters;
    const [first] = await listed(programs({}));
    expect(Object.keys(documented ?? {})).toEqual(Object.keys(first ?? {}));
  });
});
