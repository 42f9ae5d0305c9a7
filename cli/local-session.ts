import type { Command } from 'commander';
import { type Colors, type CommandIo, chooseColors } from './io.ts';
import { type Cell, type Column, renderTable } from './output/table.ts';

/** A result as text, with a note for standard error if there is one. */
export type CommandResultText = string | { readonly text?: string; readonly note: string };

/** Streams, colours and the output format of a running command that needs no server. */
export interface LocalSession {
  readonly io: CommandIo;
  readonly json: boolean;
  /** Colours of standard output and of standard error. */
  readonly out: Colors;
  readonly err: Colors;
  /** Prints data, with a newline at the end. */
  print(text: string): void;
  /** Prints a result: as JSON with `--json`, else as text. */
  show(result: unknown, view: () => CommandResultText): void;
  /** Prints a note on standard error: standard output has data only. */
  note(text: string): void;
  /** A table that fits the terminal. */
  table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly color?: boolean;
}

/** Creates the session of a running command from its own options and those of the program. */
export function createLocalSession(command: Command, io: CommandIo): LocalSession {
  const options = command.optsWithGlobals<GlobalOptions>();
  const json = options.json === true;
  const out = chooseColors(io.stdout, io.env, options.color);
  const print = (text: string): void => io.stdout.write(`${text}\n`);
  const note = (text: string): void => io.stderr.write(`${text}\n`);
  return {
    io,
    json,
    out,
    err: chooseColors(io.stderr, io.env, options.color),
    print,
    note,
    show: (result, view) => {
      if (json) {
        print(JSON.stringify(result, null, 2));
        return;
      }
      const shown = view();
      const { text, note: noted } = typeof shown === 'string' ? { text: shown, note: null } : shown;
      if (text !== undefined) print(text);
      if (noted !== null) note(noted);
    },
    table: (columns, rows) => renderTable(columns, rows, io.stdout.columns, out.dim),
  };
}
