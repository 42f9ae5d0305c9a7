import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { createApiRouteClient } from '../../cli/client.ts';
import { INSTALL_ROOT } from '../../cli/installation.ts';
import { createMcpServer } from '../../cli/mcp/mcp-server.ts';
import { createTestRepository } from '../support/git-repository.ts';
import { aTask, fakeApi, problem } from './support.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Answer = { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean };

/** An assistant that is connected; `says` is what its person answers when asked, absent: nobody can be asked. */
async function assistant(
  handler: Parameters<typeof fakeApi>[0],
  options: { allowSubmit?: boolean; says?: 'accept' | 'decline' } = {},
) {
  const api = await fakeApi(handler);
  open.push(api);
  const server = createMcpServer({
    client: () => createApiRouteClient({ url: api.url, token: 't', source: 'test' }),
    repo: '/nonexistent',
    allowSubmit: options.allowSubmit ?? false,
  });
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: options.says ? { elicitation: {} } : {} },
  );
  const asked: string[] = [];
  if (options.says)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return { action: options.says ?? 'decline', content: { submit: true } };
    });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  open.push(client);
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as Answer;
  return { client, api, asked, call };
}
const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
const TASK = { title: 'Fix the door', repository: 'https://example.com/house.git' };

describe('assay mcp', () => {
  test('reads only, unless it was started to submit', async () => {
    const reader = await assistant(() => [200, aTask()]);
    const { tools } = await reader.client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    // Words of JSON Schema that tools of some models may not have.
    expect(JSON.stringify(tools)).not.toMatch(/"(?:oneOf|anyOf|allOf|propertyNames|\$ref)"|\(\?[!=<]/);
    expect(tools.map(({ name }) => name)).not.toContain('submit_task');
    expect((await reader.call('submit_task', { task: TASK })).isError).toBe(true);
    expect(reader.api.seen).toEqual([]);
    const writer = await assistant(() => [200, aTask()], { allowSubmit: true });
    expect(await names(writer.client)).toContain('submit_task');
  });

  test('answers with what the API says of a task', async () => {
    const { call } = await assistant(() => [200, aTask({ title: 'Mend the roof' })]);
    expect((await call('get_task', { id: 't-1' })).structuredContent).toMatchObject({
      title: 'Mend the roof',
    });
  });

  test('says what is wrong, and what to do, when the API refuses', async () => {
    const { call } = await assistant(() => problem(404, 'not_found', { detail: 'there is no task t-9' }));
    const { isError, content } = await call('get_task', { id: 't-9' });
    expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('`assay tasks` lists')]);
  });

  test.each([
    ['get_task', { id: '../status' }],
    ['get_task', { id: 't-1', more: 1 }],
    ['list_tasks', { limit: 10_000 }],
    ['check_my_work', { repo: '/etc' }],
  ])('refuses what %s does not take, and asks nobody', async (name, args) => {
    const { call, api } = await assistant(() => [200, aTask()]);
    expect((await call(name, args)).isError).toBe(true);
    expect(api.seen).toEqual([]);
  });

  test('submits after a person has said yes, to what the person was shown', async () => {
    const { call, asked, api } = await assistant(() => [201, aTask()], { allowSubmit: true, says: 'accept' });
    expect((await call('submit_task', { task: TASK })).structuredContent).toMatchObject({ id: 't-1' });
    expect(asked[0]).toContain('Fix the door');
    expect(api.seen).toHaveLength(1);
  });

  test('submits nothing after a no, nor where nobody can be asked', async () => {
    for (const says of ['decline', undefined] as const) {
      const { call, api } = await assistant(() => [201, aTask()], {
        allowSubmit: true,
        ...(says && { says }),
      });
      const { isError, content } = await call('submit_task', { task: TASK });
      expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('Nothing was submitted')]);
      expect(api.seen).toEqual([]);
    }
  });

  test('cuts an answer that is too long, and says how much is missing', async () => {
    const { call } = await assistant(() => [200, aTask({ description: 'x'.repeat(100_000) })]);
    const { content, structuredContent } = await call('get_task', { id: 't-1' });
    expect(content[0]?.text).toMatch(/ characters more; /);
    expect(content[0]?.text.length).toBeLessThan(61_000);
    expect(structuredContent).toBeUndefined();
  });

  test('judges what stands in the folder that it was started for, over its standard streams', async () => {
    const repository = createTestRepository({
      'a.js': '1\n',
      'assay.yaml': 'version: 1\nquality_gates:\n  lint_command: grep -q 1 a.js\n',
    });
    repository.git('checkout', '--quiet', '-b', 'work');
    repository.write({ 'a.js': '2\n' });
    const client = new Client({ name: 'test', version: '1' });
    open.push(client);
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(INSTALL_ROOT, 'cli/main.ts'), 'mcp', '--repo', repository.dir],
        stderr: 'inherit',
      }),
    );
    const answer = (await client.callTool({ name: 'check_my_work', arguments: { base: 'main' } })) as Answer;
    expect(answer.structuredContent).toMatchObject({ verdict: 'fail', changed_files: ['a.js'] });
    const lost = (await client.callTool({ name: 'check_my_work', arguments: { base: 'nowhere' } })) as Answer;
    expect([lost.isError, lost.content[0]?.text]).toEqual([true, expect.stringContaining('--base')]);
  });
});
