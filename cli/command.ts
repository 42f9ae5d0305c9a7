import type { Command } from 'commander';
import { Ended, EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { type Session, sessionOf } from './session.ts';

export const JSON_OPTION = ['--json', 'print JSON; docs/cli.md has its shape'] as const;

/** Makes a function the action of a command: it gets the session and the arguments, and answers the exit code. */
export function action<Arguments extends readonly unknown[]>(
  command: Command,
  io: Io,
  execute: (session: Session, ...args: Arguments) => Promise<ExitCode>,
): Command {
  return command.action(async (...all: unknown[]) => {
    // Commander hands over the arguments, then the options and the command.
    const code = await execute(sessionOf(command, io), ...(all.slice(0, -1) as unknown as Arguments));
    if (code !== EXIT.ok) throw new Ended(code);
  });
}

/** Puts examples under a command's help: what each is for, and the line to type. */
export const examples = (
  command: Command,
  lines: readonly (readonly [line: string, purpose: string])[],
): Command =>
  command.addHelpText(
    'after',
    `\nExamples:\n${lines.map(([line, purpose]) => `  # ${purpose}\n  $ assay ${line}`).join('\n')}`,
  );
