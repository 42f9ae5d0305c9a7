import { resolve } from 'node:path';
import { defineOption } from '../parameters.ts';
import { defineExplicitServerCommand, LOCAL_STACK_OPTION } from '../server-command.ts';

export const mcpCommand = defineExplicitServerCommand({
  name: 'mcp',
  options: {
    repo: defineOption('--repo <dir>', 'folder that check_my_work checks', { default: '.' }),
    allowSubmit: defineOption('--allow-submit', 'also submit tasks, each after a confirmation in the client'),
    local: LOCAL_STACK_OPTION,
  },
  json: { text: 'Standard output belongs to the protocol; there is no `--json`.', option: null },
  examples: [
    ['mcp', 'for a client that starts it: read-only; ASSAY_URL names the deployment'],
    ['mcp --local', 'with the stack of `assay up` in this folder'],
    ['mcp --repo ../shop --allow-submit', 'another folder; tasks after a confirmation'],
  ],
  run: async (session, { repo, allowSubmit }) => {
    const [{ createMcpServer }, { StdioServerTransport }] = await Promise.all([
      import('../mcp/mcp-server.ts'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
    ]);
    const server = createMcpServer({
      client: session.client,
      repo: resolve(session.io.cwd, repo),
      allowSubmit: allowSubmit === true,
    });
    const closed = new Promise<void>((resolveClosed) => {
      server.server.onclose = resolveClosed;
      process.stdin.once('end', resolveClosed);
    });
    await server.connect(new StdioServerTransport());
    await closed;
    return undefined;
  },
});
