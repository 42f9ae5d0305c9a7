import { CommanderError } from 'commander';
import { CLI_EXIT_CODES, CliError, InterruptedError, SilentExitError } from './exit.ts';
import { type CommandIo, chooseColors } from './io.ts';
import { sanitizeText, toOneLine } from './output/text.ts';
import { buildProgram, findCommandName, isHelpRequest } from './program.ts';

/** What is wrong, each refused place, and what to do next. */
function renderError(error: CliError, io: CommandIo, color: boolean): string {
  const pc = chooseColors(io.stderr, io.env, color);
  return [
    `${pc.red(pc.bold('error:'))} ${sanitizeText(error.message)}`,
    ...error.details.map(({ where, message }) => `  ${pc.bold(toOneLine(where))} ${toOneLine(message)}`),
    ...(error.hint === undefined ? [] : [`${pc.cyan('next:')} ${error.hint}`]),
  ].join('\n');
}

/** With `--json`, errors are one JSON line on standard error. */
const errorJson = (error: CliError): string =>
  JSON.stringify({
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint ?? null,
      details: error.details,
      exit_code: error.exitCode,
    },
  });

const usageError = ({ code, message }: CommanderError): CliError =>
  new CliError(CLI_EXIT_CODES.usage, code.replace(/^commander\./, ''), message.replace(/^error: /, ''));

/** A package that the installed command leaves to whoever needs it (package/manifest.ts). */
function missingPackage(error: unknown): CliError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const name = error instanceof Error ? /Cannot find package '([^']+)'/.exec(error.message)?.[1] : undefined;
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return undefined;
  return new CliError(CLI_EXIT_CODES.usage, 'package_missing', `This command needs the package ${name}.`, {
    hint: `\`npm install ${name}\` beside Assay, or \`npx -p assay -p ${name} assay …\`.`,
  });
}

/** Runs one command line (without `node` and the script) and answers its exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<number> {
  if (!io.stdout.isTTY) return runOn(argv, io);
  const { createPagedIo } = await import('./output/pager.ts');
  const shown = createPagedIo(argv, io);
  const code = await runOn(argv, shown.io);
  await shown.finish();
  return code;
}

async function runOn(argv: readonly string[], io: CommandIo): Promise<number> {
  const json = argv.includes('--json');
  const program = await buildProgram(io, findCommandName(argv), json);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return CLI_EXIT_CODES.ok;
  } catch (thrown) {
    const error = missingPackage(thrown) ?? thrown;
    if (error instanceof CommanderError) {
      if (isHelpRequest(error)) return CLI_EXIT_CODES.ok;
      if (json) io.stderr.write(`${errorJson(usageError(error))}\n`);
      return CLI_EXIT_CODES.usage;
    }
    if (error instanceof SilentExitError || error instanceof InterruptedError) return error.exitCode;
    if (error instanceof CliError) {
      io.stderr.write(`${json ? errorJson(error) : renderError(error, io, !argv.includes('--no-color'))}\n`);
      return error.exitCode;
    }
    io.stderr.write(
      `assay broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return CLI_EXIT_CODES.failed;
  }
}
