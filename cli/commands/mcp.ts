import { resolve } from 'node:path';
import type { Command } from 'commander';
import { action, examples } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { SUMMARY } from '../summary.ts';

interface Options {
  readonly repo: string;
  readonly allowSubmit?: true;
}

/** `assay mcp` */
export function registerMcp(program: Command, io: Io): void {
  const command = program
    .command('mcp')
    .description(SUMMARY.mcp)
    .option('--repo <dir>', 'the folder that check_my_work looks at', '.')
    .option('--allow-submit', 'also submit tasks, each after a person has said yes in the client');
  action<[Options]>(command, io, async (session, { repo, allowSubmit }) => {
    const [{ mcpServer }, { StdioServerTransport }] = await Promise.all([
      import('../mcp/server.ts'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
    ]);
    const server = mcpServer({
      client: session.client,
      repo: resolve(io.cwd, repo),
      maySubmit: allowSubmit === true,
    });
    // Standard output belongs to the protocol.
    const closed = new Promise<void>((done) => {
      server.server.onclose = done;
      process.stdin.once('end', done);
    });
    await server.connect(new StdioServerTransport());
    await closed;
    return EXIT.ok;
  });
  examples(command, [
    ['mcp', 'for a client that starts it: reads only'],
    ['mcp --repo ../shop --allow-submit', 'another folder, and tasks after a yes'],
  ]);
}
