import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../cli/program.ts';

const output = { write: () => undefined, isTTY: false, columns: undefined };
const program = await buildProgram(
  { env: {}, cwd: '/', stdout: output, stderr: output, readStdin: async () => '' },
  'all',
);

/** Returns a command and all commands below it. */
const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];
const flagsOf = (command: Command): string[] =>
  command.options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));

/** `--no-x` sets the same value as `--x`. */
const nameOf = (flag: string): string => flag.replace(/^--(?:no-)?/, '--');

describe('global options', () => {
  it('share no name with an option of a subcommand: commander would hand the value to the program', () => {
    const globals = new Set(flagsOf(program).map(nameOf));
    const shared = program.commands.flatMap(withSubcommands).flatMap((command) =>
      flagsOf(command)
        .filter((flag) => globals.has(nameOf(flag)))
        .map((flag) => `${command.parent?.name()} ${command.name()} ${flag}`),
    );
    expect(globals).toContain('--url');
    expect(shared).toEqual([]);
  });
});
