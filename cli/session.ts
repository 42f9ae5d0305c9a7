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

/** Creates the session of a running command from its own options and those of the program. */
export function createSession(command: Command, io: CommandIo): ServerCommandSession {
  let client: ApiRouteClient | undefined;
  let connection: Connection | undefined;
  const connect = (): Connection => {
    connection ??= findConnection(command.optsWithGlobals<ConnectionOptions>(), io);
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
