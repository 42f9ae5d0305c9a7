import type { Command } from 'commander';
import { type ApiRouteClient, createApiRouteClient } from './client.ts';
import { type Connection, type ConnectionOptions, findConnection } from './connection.ts';
import type { CommandIo } from './io.ts';
import { createLocalSession, type LocalSession } from './local-session.ts';

/** The session of a command that calls the API. */
export interface ServerCommandSession extends LocalSession {
  /** Connects on first use: a command with wrong arguments needs no server. */
  client(): ApiRouteClient;
  /** The connection of the client. */
  connection(): Connection;
}

/**
 * Creates the session of a running command from its own options and those of the program.
 * @param folder whether the stack of this folder is used without `--local`
 */
export function createSession(
  command: Command,
  io: CommandIo,
  folder: 'trusted' | 'on_request' = 'trusted',
): ServerCommandSession {
  let client: ApiRouteClient | undefined;
  let connection: Connection | undefined;
  const connect = (): Connection => {
    connection ??= findConnection(command.optsWithGlobals<ConnectionOptions>(), io, folder);
    return connection;
  };
  return {
    ...createLocalSession(command, io),
    client: () => {
      client ??= createApiRouteClient(connect());
      return client;
    },
    connection: connect,
  };
}
