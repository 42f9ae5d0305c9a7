import { CommanderError } from 'commander';
import { CLI_EXIT_CODES, CliError, InterruptedError, SilentExitError } from './exit.ts';
import { type CommandIo, chooseTerminalColors } from './io.ts';
import { sanitizeText, toOneLine } from './output/text.ts';
import { buildProgram, findCommandName, isHelpRequest } from './program.ts';

/** Renders an error: the message, each place, and what to do next. */
function renderError(error: CliError, io: CommandIo, color: boolean): string {
  const pc = chooseTerminalColors(io.stderr, io.env, color);
  return [
    `${pc.red(pc.bold('error:'))} ${sanitizeText(error.message)}`,
    ...error.details.map(({ where, message }) => `  ${pc.bold(toOneLine(where))} ${toOneLine(message)}`),
    ...(error.hint === undefined ? [] : [`${pc.cyan('next:')} ${error.hint}`]),
  ].join('\n');
}

/** Formats an error as one line of JSON. */
const formatErrorJson = (error: CliError): string =>
  JSON.stringify({
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint ?? null,
      details: error.details,
      exit_code: error.exitCode,
    },
  });

const createUsageError = ({ code, message }: CommanderError): CliError =>
  new CliError(CLI_EXIT_CODES.usage, code.replace(/^commander\./, ''), message.replace(/^error: /, ''));

/** Creates the error for a package that the installed command does not bundle (package/manifest.ts); undefined: another error. */
function createMissingPackageError(error: unknown): CliError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const name = error instanceof Error ? /Cannot find package '([^']+)'/.exec(error.message)?.[1] : undefined;
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return undefined;
  return new CliError(CLI_EXIT_CODES.usage, 'package_missing', `This command needs the package ${name}.`, {
    hint: `\`npm install ${name}\` beside Assay, or \`npx -p assay -p ${name} assay …\`.`,
  });
}

/** Runs a command line (without `node` and the script). Returns its exit code; never throws. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<number> {
  if (!io.stdout.isTTY) return runWith(argv, io);
  const { createPagedIo } = await import('./output/pager.ts');
  const paged = createPagedIo(argv, io);
  const code = await runWith(argv, paged.io);
  await paged.finish();
  return code;
}

async function runWith(argv: readonly string[], io: CommandIo): Promise<number> {
  const json = argv.includes('--json');
  const program = await buildProgram(io, findCommandName(argv), json);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return CLI_EXIT_CODES.ok;
  } catch (thrown) {
    const error = createMissingPackageError(thrown) ?? thrown;
    if (error instanceof CommanderError) {
      if (isHelpRequest(error)) return CLI_EXIT_CODES.ok;
      if (json) io.stderr.write(`${formatErrorJson(createUsageError(error))}\n`);
      return CLI_EXIT_CODES.usage;
    }
    if (error instanceof SilentExitError || error instanceof InterruptedError) return error.exitCode;
    if (error instanceof CliError) {
      io.stderr.write(
        `${json ? formatErrorJson(error) : renderError(error, io, !argv.includes('--no-color'))}\n`,
      );
      return error.exitCode;
    }
    io.stderr.write(
      `assay failed unexpectedly: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return CLI_EXIT_CODES.crashed;
  }
}
