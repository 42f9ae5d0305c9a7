import type { Command } from 'commander';
import { type Client, createClient } from './client.ts';
import { type Connection, type ConnectionOptions, findConnection } from './connection.ts';
import { type Colors, colorsFor, type Io } from './io.ts';

/** What a command works with: its streams, colours, and whether it speaks JSON. */
export interface Session {
  readonly io: Io;
  readonly json: boolean;
  /** Colours of standard output and of standard error. */
  readonly out: Colors;
  readonly err: Colors;
  /** Connects on first use: a command that refuses its own arguments needs no server. */
  client(): Client;
  /** Where the client of this session connects to. */
  connection(): Connection;
  /** Prints data, with a newline at the end. */
  print(text: string): void;
  /** Prints one JSON document. */
  printJson(value: unknown): void;
  /** Prints something that is not data. */
  note(text: string): void;
}

interface GlobalOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly color?: boolean;
}

/** The session of a running command: options of its own and of the program. */
export function sessionOf(command: Command, io: Io): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  let client: Client | undefined;
  let connection: Connection | undefined;
  const connect = (): Connection => {
    connection ??= findConnection(options, io);
    return connection;
  };
  return {
    io,
    json: options.json === true,
    out: colorsFor(io.stdout, io.env, options.color),
    err: colorsFor(io.stderr, io.env, options.color),
    client: () => {
      client ??= createClient(connect());
      return client;
    },
    connection: connect,
    print: (text) => io.stdout.write(`${text}\n`),
    printJson: (value) => io.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    note: (text) => io.stderr.write(`${text}\n`),
  };
}
