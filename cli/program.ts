import { Command, type CommanderError, Option } from 'commander';
import { VERSION } from '../shared/version.ts';
import { registerCheck } from './check.ts';
import { registerActions } from './commands/actions.ts';
import { registerAdapters } from './commands/adapters.ts';
import { registerAgents } from './commands/agents.ts';
import { registerDemo } from './commands/demo.ts';
import { registerGates } from './commands/gates.ts';
import { registerPlan } from './commands/plan.ts';
import { registerRules } from './commands/rules.ts';
import { registerStatus } from './commands/status.ts';
import { registerSubmit } from './commands/submit.ts';
import { registerTask } from './commands/task.ts';
import { registerTasks } from './commands/tasks.ts';
import { registerToken } from './commands/token.ts';
import { registerUp } from './commands/up.ts';
import { registerWatch } from './commands/watch.ts';
import { registerWork } from './commands/work.ts';
import { EXIT_MEANINGS } from './exit.ts';
import { colorsFor, type Io } from './io.ts';

/** Commander's ways of saying that help or the version was asked for: no error. */
export const isHelp = (error: CommanderError): boolean =>
  error.code === 'commander.helpDisplayed' ||
  error.code === 'commander.version' ||
  error.code === 'commander.help';

/** The whole command line; docs/cli.md is generated from it. `quiet`: usage errors are thrown and not printed. */
export function buildProgram(io: Io, quiet = false): Command {
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
  registerUp(program, io);
  registerSubmit(program, io);
  registerTasks(program, io);
  registerTask(program, io);
  registerWatch(program, io);
  registerStatus(program, io);
  registerActions(program, io);
  registerPlan(program, io);
  registerWork(program, io);
  registerAgents(program, io);
  registerCheck(program, io);
  registerGates(program, io);
  registerAdapters(program, io);
  registerRules(program, io);
  registerToken(program, io);
  registerDemo(program, io);
  return program;
}
