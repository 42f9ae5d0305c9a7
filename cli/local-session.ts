import type { Command } from 'commander';
import { type CommandIo, chooseTerminalColors, type TerminalColors } from './io.ts';
import { renderTable, type TextTableCell, type TextTableColumn } from './output/table.ts';

/** A result as text, with a note for standard error if there is one. */
export type CommandResultText = string | { readonly text?: string; readonly note: string };

/** Streams, colours and the output format of a running command that needs no server. */
export interface LocalCommandSession {
  readonly io: CommandIo;
  readonly json: boolean;
  /** Colours of standard output and of standard error. */
  readonly out: TerminalColors;
  readonly err: TerminalColors;
  /** Prints data, with a newline at the end. */
  print(text: string): void;
  /** Prints a result: as JSON with `--json`, else as text. */
  show(result: unknown, view: () => CommandResultText): void;
  /** Prints a note on standard error: standard output has data only. */
  note(text: string): void;
  /** A table that fits the terminal. */
  table(columns: readonly TextTableColumn[], rows: readonly (readonly TextTableCell[])[]): string;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly color?: boolean;
}

/** Creates the session of a running command from its own options and those of the program. */
export function createLocalCommandSession(command: Command, io: CommandIo): LocalCommandSession {
  const options = command.optsWithGlobals<GlobalOptions>();
  const json = options.json === true;
  const out = chooseTerminalColors(io.stdout, io.env, options.color);
  const print = (text: string): void => io.stdout.write(`${text}\n`);
  const note = (text: string): void => io.stderr.write(`${text}\n`);
  return {
    io,
    json,
    out,
    err: chooseTerminalColors(io.stderr, io.env, options.color),
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
