import type { Command } from 'commander';
import { type ApiRouteClient, createApiRouteClient } from './client.ts';
import { type Connection, type ConnectionOptions, findConnection } from './connection.ts';
import type { CommandIo } from './io.ts';
import { createLocalSession, type LocalSession } from './local-session.ts';

/** What a command works with that asks a server. */
export interface ServerCommandSession extends LocalSession {
  /** Connects on first use: a command that refuses its own arguments needs no server. */
  client(): ApiRouteClient;
  /** Where the client of this session connects to. */
  connection(): Connection;
}

/** The session of a running command: options of its own and of the program. */
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
