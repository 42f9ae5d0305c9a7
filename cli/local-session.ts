import type { Command } from 'commander';
import { type Colors, colorsFor, type Io } from './io.ts';

/** What a command works with that asks no server: its streams, colours, and whether it speaks JSON. */
export interface LocalSession {
  readonly io: Io;
  readonly json: boolean;
  /** Colours of standard output and of standard error. */
  readonly out: Colors;
  readonly err: Colors;
  /** Prints data, with a newline at the end. */
  print(text: string): void;
  /** Prints one JSON document. */
  printJson(value: unknown): void;
  /** Prints something that is not data. */
  note(text: string): void;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly color?: boolean;
}

/** The session of a running command: options of its own and of the program. */
export function localSession(command: Command, io: Io): LocalSession {
  const options = command.optsWithGlobals<GlobalOptions>();
  return {
    io,
    json: options.json === true,
    out: colorsFor(io.stdout, io.env, options.color),
    err: colorsFor(io.stderr, io.env, options.color),
    print: (text) => io.stdout.write(`${text}\n`),
    printJson: (value) => io.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    note: (text) => io.stderr.write(`${text}\n`),
  };
}
