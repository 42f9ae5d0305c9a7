import { Command, type CommanderError, Help, Option } from 'commander';
import { ASSAY_VERSION } from '../shared/lib/version.ts';
import { COMMAND_MODULES } from './command-modules.ts';
import { getCommandSummary } from './command-summaries.ts';
import { EXIT_CODE_MEANINGS } from './exit.ts';
import { type CommandIo, chooseTerminalColors } from './io.ts';

/** Whether Commander's error only says that help or the version was printed. */
export const isHelpRequest = (error: CommanderError): boolean =>
  error.code === 'commander.helpDisplayed' ||
  error.code === 'commander.version' ||
  error.code === 'commander.help';

/**
 * Builds the program. docs/reference/cli.md is generated from it.
 * @param wanted the command that is loaded in full, or 'all'; of the others only name and summary are present
 * @param quiet usage errors are thrown and not printed
 */
export async function buildProgram(
  io: CommandIo,
  wanted: string | undefined,
  quiet = false,
): Promise<Command> {
  const program = new Command('assay')
    .description(
      'Submit work for coding agents and check their results. Nothing is done because an agent said so.',
    )
    .version(ASSAY_VERSION)
    .option('--url <url>', 'address of the API (or ASSAY_URL; else the stack of `assay up` in this folder)')
    .option('--token <token>', 'operator token (or ASSAY_TOKEN, which is not visible in the process list)')
    .addOption(new Option('--no-color', 'no colours (or NO_COLOR=1)'))
    .showSuggestionAfterError()
    .showHelpAfterError(quiet ? false : '(add --help for usage and examples)')
    .exitOverride()
    .configureHelp({
      // Arguments are on the page of the command: the list needs no command in full.
      subcommandTerm: (command) =>
        command.parent?.parent == null ? command.name() : new Help().subcommandTerm(command),
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => (quiet ? undefined : write(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => chooseTerminalColors(io.stdout, io.env).isColorSupported,
      getErrHasColors: () => chooseTerminalColors(io.stderr, io.env).isColorSupported,
    });
  program.addHelpText(
    'after',
    `\nExit codes:\n${Object.entries(EXIT_CODE_MEANINGS)
      .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
      .join('\n')}`,
  );
  const names = (module: (typeof COMMAND_MODULES)[number]): boolean =>
    module.names.some((name) => name === wanted);
  const loadsAll = wanted === 'all' || COMMAND_MODULES.some((module) => module.needsAll && names(module));
  for (const module of COMMAND_MODULES)
    if (loadsAll || names(module)) for (const row of await module.load()) row.add(program, io);
    else for (const name of module.names) program.command(name).description(getCommandSummary(name));
  return program;
}

/** Options of the program that take a value. */
const WITH_VALUE = new Set(['--url', '--token']);

/** Returns the command that a command line names, or asks for help about. */
export function findCommandName(argv: readonly string[]): string | undefined {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (WITH_VALUE.has(word)) at++;
    else if (!word.startsWith('-')) words.push(word);
  }
  return words[0] === 'help' ? words[1] : words[0];
}
