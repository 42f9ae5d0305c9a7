import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCliManifest } from '../../shared/contract/agents/adapter-manifest.ts';
import { AGENT_CLI_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { type ModelServer, startModelServer } from '../../test/support/models/model-server.ts';
import { INSTALLED_CLIS } from './installed-clis.ts';
import { runCli } from './run-cli.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.stop());

const tierModels = INSTALLED_CLIS.flatMap((kind) => {
  const { tiers }: AgentCliManifest = AGENT_CLI_MANIFESTS[kind];
  return Object.entries(tiers?.models ?? {}).map(([tier, model]) => ({ kind, tier, model }));
});

describe.skipIf(tierModels.length === 0)('the model of each tier', () => {
  it.each(tierModels)('$kind does the work with its $tier model, $model', async ({ kind, model }) => {
    const { calls, failure, leftoverFiles } = await runCli(server, { kind, model, scenario: 'ok' });
    expect(failure).toBeNull();
    expect(leftoverFiles).toContain('hello.txt');
    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls.map(({ model: asked }) => asked))).toEqual(new Set([model]));
  });
});
