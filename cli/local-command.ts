import type { Command } from 'commander';
import { Ended, EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { type LocalSession, localSession } from './local-session.ts';

export const JSON_OPTION = ['--json', 'print JSON; docs/cli.md has its shape'] as const;

type Execute<S, Arguments extends readonly unknown[]> = (session: S, ...args: Arguments) => Promise<ExitCode>;

/** Makes a function the action of a command: it gets a session of the kind that it needs and the arguments, and answers the exit code. */
export const actionWith =
  <S>(sessionFor: (command: Command, io: Io) => S) =>
  <Arguments extends readonly unknown[]>(command: Command, io: Io, execute: Execute<S, Arguments>): Command =>
    command.action(async (...all: unknown[]) => {
      // Commander hands over the arguments, then the options and the command.
      const code = await execute(sessionFor(command, io), ...(all.slice(0, -1) as unknown as Arguments));
      if (code !== EXIT.ok) throw new Ended(code);
    });

/** For a command that asks no server: nothing of the API is loaded for it. */
export const localAction = actionWith<LocalSession>(localSession);

/** Puts examples under a command's help: what each is for, and the line to type. */
export const examples = (
  command: Command,
  lines: readonly (readonly [line: string, purpose: string])[],
): Command =>
  command.addHelpText(
    'after',
    `\nExamples:\n${lines.map(([line, purpose]) => `  # ${purpose}\n  $ assay ${line}`).join('\n')}`,
  );
