import { Command, type CommanderError, Help, Option } from 'commander';
import { VERSION } from '../shared/lib/version.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_MEANINGS } from './exit.ts';
import { colorsFor, type Io } from './io.ts';
import { withStack } from './programs.ts';
import { type CommandName, SUMMARY } from './summary.ts';

/** Commander's ways of saying that help or the version was asked for: no error. */
export const isHelp = (error: CommanderError): boolean =>
  error.code === 'commander.helpDisplayed' ||
  error.code === 'commander.version' ||
  error.code === 'commander.help';

/**
 * The command line; docs/cli.md is generated from all of it. `quiet`: usage errors are thrown and not printed.
 * @param wanted the command that is brought along in full; of the others there is the summary.
 */
export async function buildProgram(io: Io, wanted: string | undefined, quiet = false): Promise<Command> {
  const program = new Command('assay')
    .description(
      'Submit work for coding agents, and see what came of it. Nothing is done because an agent said so.',
    )
    .version(VERSION)
    .option('--url <url>', 'address of the API (or ASSAY_URL; else what `assay up` left in .assay-data)')
    .option('--token <token>', 'operator token (or ASSAY_TOKEN, which keeps it out of the process list)')
    .addOption(new Option('--no-color', 'no colours (or NO_COLOR=1)'))
    .showSuggestionAfterError()
    .showHelpAfterError(quiet ? false : '(add --help for usage and examples)')
    .exitOverride()
    .configureHelp({
      // What a command takes is on its own page; here it need not be loaded for that.
      subcommandTerm: (command) =>
        command.parent?.parent == null ? command.name() : new Help().subcommandTerm(command),
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => (quiet ? undefined : write(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => colorsFor(io.stdout, io.env).isColorSupported,
      getErrHasColors: () => colorsFor(io.stderr, io.env).isColorSupported,
    });
  program.addHelpText(
    'after',
    `\nExit codes:\n${Object.entries(EXIT_MEANINGS)
      .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
      .join('\n')}`,
  );
  for (const { names, load } of COMMANDS) {
    if (wanted === 'all' || names.some((name) => name === wanted)) {
      const register = await load();
      register(program, io, () => buildProgram(io, 'all'));
    } else for (const name of names) program.command(name).description(summaryOf(name));
  }
  return program;
}

/** As the command itself says it, which is not loaded for that. */
const summaryOf = (name: CommandName): string =>
  name === 'up' || name === 'demo' ? withStack(SUMMARY[name]) : SUMMARY[name];

/** Options of the program that have a value behind them. */
const WITH_VALUE = new Set(['--url', '--token']);

/** The command that a command line names, or asks for help about. */
export function commandIn(argv: readonly string[]): string | undefined {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (WITH_VALUE.has(word)) at++;
    else if (!word.startsWith('-')) words.push(word);
  }
  return words[0] === 'help' ? words[1] : words[0];
}
