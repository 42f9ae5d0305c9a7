import { describe, expect, it } from 'vitest';
import { SCRIPTED_SOLUTIONS } from '../../cli/demo/agent/solutions.ts';
import { startDemoAgent } from '../../cli/demo/demo-agent.ts';
import { buildDemoTasks } from '../../cli/demo/demo-tasks.ts';
import { DEFAULT_TIER_MODELS, selectTierModels } from '../../shared/contract/agents/tiers.ts';
import { fakeCli } from '../containers/fake-cli.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { getDemoScript } from '../support/models/demo-script.ts';
import { assay } from './support.ts';

const nowhere = createTemporaryFolder();
const PATH = fakeCli(createTemporaryFolder(), 'codex', 'true').split(':')[0] ?? '';

describe('the demo with a real agent', () => {
  it('is done with the real models where there is a key, and starts nothing', async () => {
    const agent = await startDemoAgent('codex', { PATH, OPENAI_API_KEY: 'sk-x' }, nowhere);
    expect(agent).toMatchObject({ models: 'real', adapter: { kind: 'codex' }, env: { PATH } });
    expect(Object.keys(agent.env)).toEqual(['PATH']);
    await agent.stop();
  });

  it('is done with scripted models where there is none, which answer until it is over', async () => {
    const agent = await startDemoAgent('codex', { PATH }, nowhere);
    const url = agent.env['OPENAI_BASE_URL'] ?? '';
    expect(agent.models).toBe('scripted');
    const ask = () =>
      fetch(`${url}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'gpt-6-luna', messages: [{ role: 'user', content: 'Hello' }] }),
      });
    expect((await ask()).status).toBe(200);
    await agent.stop();
    await expect(ask()).rejects.toThrow();
  });

  it('names what is not installed, and how it can be', async () => {
    await expect(startDemoAgent('gemini', { PATH }, nowhere)).rejects.toThrow(
      /^gemini is not installed.*@google\/gemini-cli@\d/,
    );
  });

  it('knows no other agents', async () => {
    const { code, stderr } = await assay(['demo', '--agent', 'aider']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Allowed choices are claude, codex, gemini, opencode'),
    ]);
  });

  it.each(['claude', 'codex', 'gemini', 'opencode'] as const)(
    'plays for each task and each tier of %s what the script in its place writes',
    (kind) => {
      for (const { task } of buildDemoTasks('x'))
        for (const [tier, { files, summary }] of Object.entries(SCRIPTED_SOLUTIONS[task.id] ?? {})) {
          const models = selectTierModels({ kind, timeout_s: 1 }, DEFAULT_TIER_MODELS);
          const script = getDemoScript(models[tier as 'haiku'], `Do it: ${task.title}, please`);
          expect(script).toEqual([
            ...Object.entries(files).map(([write, text]) => ({ write, text })),
            { say: summary },
          ]);
        }
    },
  );
});
