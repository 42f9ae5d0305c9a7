import type { Command } from 'commander';
import { getCommandSummary } from './command-summaries.ts';
import { CLI_EXIT_CODES, CliError, type CliExitCode, SilentExitError } from './exit.ts';
import type { CommandIo } from './io.ts';
import { createLocalCommandSession, type LocalCommandSession } from './local-session.ts';
import { type ArgumentSpecs, defineOption, type OptionSpecs, type ParameterValues } from './parameters.ts';

/** What a command prints with `--json`. */
export interface JsonOutputDescription {
  /** Markdown for docs/reference/cli.md. */
  readonly text: string;
  readonly example?: string;
  /** Description of `--json` in the help; null: the command has no such option. */
  readonly option?: string | null;
}

/** One row of the table of commands: `add` makes it a command of a program. */
export interface CommandRegistration {
  /** Words after `assay`, for example `dlq list`. */
  readonly name: string;
  readonly json: JsonOutputDescription;
  add(program: Command, io: CommandIo): void;
}

export interface CommandSpec<Arguments extends ArgumentSpecs, Options extends OptionSpecs> {
  readonly name: string;
  /** Absent: the summary of the command in the list of commands. */
  readonly description?: string;
  /** Runs for the name of its group alone: `assay quality` is `assay quality show`. */
  readonly isDefault?: true;
  /** In the order of the command line. */
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** What each is for, and the line to type after `assay`. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  readonly json: JsonOutputDescription | string;
}

/** Runs a command. Returns the exit code; none is success. */
export type CommandHandler<Session, Arguments extends ArgumentSpecs, Options extends OptionSpecs> = (
  session: Session,
  values: ParameterValues<Arguments> & ParameterValues<Options>,
  command: Command,
) => Promise<CliExitCode | undefined>;

const JSON_DESCRIPTION = 'print JSON; docs/reference/cli.md has its shape';

/** The command that `words` name below a program; the groups above it are made where they are missing. */
function commandAt(program: Command, words: readonly string[], isDefault: boolean): Command {
  const [name = '', ...rest] = words;
  if (rest.length === 0) return program.command(name, { isDefault });
  const group =
    program.commands.find((each) => each.name() === name) ??
    program.command(name).description(getCommandSummary(name));
  return commandAt(group, rest, isDefault);
}

/** Makes the function that defines commands of one kind of session. */
export const createCommandFactory =
  <Session>(sessionFor: (command: Command, io: CommandIo) => Session) =>
  <
    Arguments extends ArgumentSpecs = Record<never, never>,
    Options extends OptionSpecs = Record<never, never>,
  >(
    spec: CommandSpec<Arguments, Options> & { readonly run: CommandHandler<Session, Arguments, Options> },
  ): CommandRegistration => {
    const json: JsonOutputDescription = typeof spec.json === 'string' ? { text: spec.json } : spec.json;
    const argumentSpecs = Object.entries<ArgumentSpecs[string]>(spec.arguments ?? {});
    const optionSpecs = Object.entries<OptionSpecs[string]>(spec.options ?? {});
    return {
      name: spec.name,
      json,
      add: (program, io) => {
        const command = commandAt(program, spec.name.split(' '), spec.isDefault === true);
        command.description(spec.description ?? getCommandSummary(spec.name));
        for (const [, each] of argumentSpecs) command.addArgument(each.create());
        const readers = optionSpecs.map(([key, each]) => {
          const created = each.create();
          command.addOption(created);
          return [key, (): unknown => each.read(command.getOptionValue(created.attributeName()))] as const;
        });
        if (json.option !== null)
          command.addOption(defineOption('--json', json.option ?? JSON_DESCRIPTION).create());
        command.action(async () => {
          const values = Object.fromEntries([
            ...argumentSpecs.map(([key, each], index) => [key, each.read(command.processedArgs[index])]),
            ...readers.map(([key, read]) => [key, read()]),
          ]) as ParameterValues<Arguments> & ParameterValues<Options>;
          const code = await spec.run(sessionFor(command, io), values, command);
          if (code !== undefined && code !== CLI_EXIT_CODES.ok) throw new SilentExitError(code);
        });
        command.addHelpText(
          'after',
          `\nExamples:\n${spec.examples.map(([line, purpose]) => `  # ${purpose}\n  $ assay ${line}`).join('\n')}`,
        );
      },
    };
  };

/** @throws CliError for the global --url or --token: a local command calls no Assay API, so they must not be ignored */
function refuseConnectionOptions(command: Command): void {
  const { url, token } = command.optsWithGlobals<{ url?: string; token?: string }>();
  const given = url !== undefined ? '--url' : token !== undefined ? '--token' : null;
  if (given === null) return;
  const modelUrl = command.options.some(({ long }) => long === '--model-url');
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'bad_option',
    `${given} is for the Assay API, which this command does not call.`,
    modelUrl ? { hint: 'The address of the model provider is --model-url.' } : {},
  );
}

/** Defines a command that needs no server: nothing of the API is loaded for it. */
export const defineLocalCommand = createCommandFactory<LocalCommandSession>((command, io) => {
  refuseConnectionOptions(command);
  return createLocalCommandSession(command, io);
});
