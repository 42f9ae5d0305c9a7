import type { CommandLine } from './run-command-line.ts';

/** How a runner is told to stop at the first test that fails. */
interface StopOption {
  readonly option: string;
  /** The words of its line that the option follows; absent: the end of the line. */
  readonly after?: string;
  /** Variable that takes the option, where the line already sets it. */
  readonly variable?: string;
}

/**
 * The option of each test runner. `node --test` and the runner of Rust have none: Cargo stops at the first test program that fails,
 * unless its line says `--no-fail-fast`.
 */
const STOP_OPTIONS: Readonly<Record<string, StopOption>> = {
  pytest: { option: '-x', after: 'pytest', variable: 'PYTEST_ADDOPTS' },
  tox: { option: '-x', variable: 'PYTEST_ADDOPTS' },
  go: { option: '-failfast', after: 'go test' },
  unittest: { option: '-f' },
  vitest: { option: '--bail=1' },
  jest: { option: '--bail' },
};

/** Returns the same line such that its runner stops at the first test that fails. A runner without such an option runs to its end. */
export function stopAtFirstFailure(command: CommandLine, runner: string): CommandLine {
  const stop = STOP_OPTIONS[runner];
  if (stop === undefined) return command;
  const { option, after, variable } = stop;
  const { line, environment = {} } = command;
  const options = variable === undefined ? undefined : environment[variable];
  if (variable !== undefined && options !== undefined)
    return { ...command, environment: { ...environment, [variable]: `${options} ${option}` } };
  return { ...command, line: after ? line.replace(after, `${after} ${option}`) : `${line} ${option}` };
}
