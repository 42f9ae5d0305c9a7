import { delimiter } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AGENT_ADAPTERS } from '../../containers/agent/adapters/registry.ts';
import { runAgent } from '../../containers/agent/run-agent.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { agentAssignment, inBox } from '../../test/containers/box.ts';
import { type FakeApi, startFakeApi } from '../../test/containers/fake-api.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { type ModelServer, startModelServer } from '../../test/support/models/model-server.ts';
import { CLI_BIN_FOLDER, INSTALLED_CLIS } from './installed-clis.ts';
import { MODEL_BY_CLI } from './run-cli.ts';

const repository = createTestRepository({ 'a.txt': 'a\n' });
const base = repository.git('rev-parse', 'HEAD');
let api: FakeApi;
let models: ModelServer;
beforeEach(async () => {
  api = await startFakeApi();
  models = await startModelServer({
    script: (_model, conversation) =>
      conversation.includes('approved by ann')
        ? [{ say: 'Shipped.' }]
        : [
            { run: 'echo looked > notes.txt' },
            { run: `echo '{"action":"deploy:production","title":"Ship"}' > $ASSAY_APPROVAL_FILE; sleep 30` },
            { say: 'Asked.' },
          ],
  });
});
afterEach(async () => {
  await models.stop();
  await api.stop();
});

const KINDS = INSTALLED_CLIS.filter((kind) => AGENT_ADAPTERS[kind].sessionRecord);
if (KINDS.length === 0) it.skip('no CLI here writes its session down', () => {});

/** What each real CLI makes of a session that another box has begun. */
describe.each(KINDS)('the session of the real %s', (kind) => {
  const run = (more: Partial<AgentAssignment>) => {
    vi.stubEnv('PATH', `${CLI_BIN_FOLDER}${delimiter}${process.env['PATH'] ?? ''}`);
    api.answer = (call) =>
      call.route === 'requestApproval'
        ? { status: 200, body: { status: 'auth_required', approval: {} } }
        : null;
    return inBox((box) =>
      runAgent(
        agentAssignment(api, repository.url, [], {
          base_commit: base,
          adapter: { kind, timeout_s: 120 },
          model: MODEL_BY_CLI[kind],
          model_access: {
            token: 'token-of-the-attempt',
            base_urls: { anthropic: models.url, openai: `${models.url}/v1`, gemini: models.url },
            models: [MODEL_BY_CLI[kind]],
            metered: true,
          },
          ...more,
        }),
        box,
      ),
    );
  };

  it('is begun anew where what was kept of it is none', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const record = Buffer.from('{"nonsense":true}\n');
    api.objects.set('/objects/session', record);
    await run({
      prompt: { TASK_TITLE: 'Ship', TASK_DESCRIPTION: 'It was approved by ann.' },
      resumed_session: {
        session: '0f0f0f0f-1111-4222-8333-444444444444',
        sha256: sha256(record),
        url: `${api.url}/objects/session`,
        message: 'Go on.',
      },
    });
    expect(models.calls[0]?.raw.toString()).toContain('It was approved by ann.');
    expect(api.bodies('complete')).toHaveLength(1);
  });

  it('is gone on with in another box', async () => {
    await run({});
    const [parked] = api.bodies('requestApproval');
    const kept = parked?.['parked_session'] as { id: string; sha256: string };
    expect(kept).toMatchObject({ id: expect.any(String) });
    const before = models.calls.length;
    await run({
      resumed_session: {
        session: kept.id,
        sha256: kept.sha256,
        url: `${api.url}/objects/session`,
        message: 'It was approved by ann. Go on.',
      },
    });
    const first = models.calls[before]?.raw.toString() ?? '';
    // What it did in the box before stands in the conversation. Not every CLI writes down a call that was cut off.
    expect(['echo looked > notes.txt', 'approved by ann'].filter((text) => !first.includes(text))).toEqual(
      [],
    );
    expect(api.bodies('complete')).toHaveLength(1);
    expect(api.bodies('fail')).toEqual([]);
  });
});
