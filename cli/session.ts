import type { Command } from 'commander';
import { type ApiRouteClient, createApiRouteClient } from './client.ts';
import { type ApiConnection, type ApiConnectionOptions, findApiConnection } from './connection.ts';
import type { CommandIo } from './io.ts';
import { createLocalCommandSession, type LocalCommandSession } from './local-session.ts';

/** The session of a command that calls the API. */
export interface ServerCommandSession extends LocalCommandSession {
  /** Connects on first use: a command with wrong arguments needs no server. */
  client(): ApiRouteClient;
  /** The connection of the client. */
  connection(): ApiConnection;
}

/**
 * Creates the session of a running command from its own options and those of the program.
 * @param folder whether the stack of this folder is used without `--local`
 */
export function createServerCommandSession(
  command: Command,
  io: CommandIo,
  folder: 'trusted' | 'on_request' = 'trusted',
): ServerCommandSession {
  let client: ApiRouteClient | undefined;
  let connection: ApiConnection | undefined;
  const connect = (): ApiConnection => {
    connection ??= findApiConnection(command.optsWithGlobals<ApiConnectionOptions>(), io, folder);
    return connection;
  };
  return {
    ...createLocalCommandSession(command, io),
    client: () => {
      client ??= createApiRouteClient(connect());
      return client;
    },
    connection: connect,
  };
}
