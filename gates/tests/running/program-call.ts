/** Programs that start another one in an environment of theirs, and the words between them and that one. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  ...['npx', 'pnpx', 'bunx', 'pnpm', 'yarn', 'bun'],
  ...['uv', 'uvx', 'poetry', 'pipenv', 'pdm', 'hatch', 'rye', 'pixi', 'conda', 'mamba', 'micromamba'],
  ...['env', 'time', 'exec', 'command', 'nice', 'timeout', 'xvfb-run'],
]);
const LAUNCHER_COMMAND = /^(?:run|exec|dlx|tool|x|--)$/;
/** Options of launchers whose value is the next word. */
const VALUE_OPTION =
  /^(?:--with|--with-requirements|--with-editable|--python|--extra|--group|--only-group|--package|--env-file|--project|--directory|--name|--prefix|--cwd|--signal|--kill-after|-p|-n|-e|-C|-k|-s)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Limit of `timeout`, level of `nice`. */
const NUMBER = /^-?\d+(?:\.\d+)?[smhd]?$/;

/** Name of a program without its folder, and without the version of an interpreter. */
function programName(word: string): string {
  const name = word.slice(word.lastIndexOf('/') + 1).replace(/\.(?:exe|cmd)$/, '');
  return /^(?:python|pypy)[\d.]*$/.test(name) ? 'python' : name === 'py.test' ? 'pytest' : name;
}

/**
 * Finds the call of a program in the words of a command: what follows variables and launchers such as `uv run`, `poetry run`, `npx` and
 * `timeout 600`, with the name of the program in place of its path. `python -m NAME` and `coverage run -m NAME` are calls of NAME.
 */
export function findProgramCall(words: readonly string[]): readonly string[] {
  let at = 0;
  let isLaunched = false;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (LAUNCHERS.has(programName(word))) isLaunched = true;
    else if (ASSIGNMENT.test(word)) continue;
    else if (isLaunched && VALUE_OPTION.test(word)) at++;
    else if (!(isLaunched && (LAUNCHER_COMMAND.test(word) || word.startsWith('-') || NUMBER.test(word))))
      break;
  }
  const [first, ...rest] = words.slice(at);
  if (first === undefined) return [];
  const program = programName(first);
  if (program === 'coverage' && rest[0] === 'run') return findModuleCall(rest) ?? [program, ...rest];
  return (program === 'python' ? findModuleCall(rest) : null) ?? [program, ...rest];
}

/** What follows `-m`, where only options stand before it. */
function findModuleCall(words: readonly string[]): readonly string[] | null {
  const at = words.indexOf('-m');
  if (at < 0 || words.slice(0, at).some((word, index) => !isInterpreterWord(word, words[index - 1])))
    return null;
  const [name, ...rest] = words.slice(at + 1);
  if (name === undefined) return null;
  return name === 'coverage' && rest[0] === 'run' ? findModuleCall(rest) : [name, ...rest];
}

const isInterpreterWord = (word: string, before: string | undefined): boolean =>
  word === 'run' || word.startsWith('-') || before === '-W' || before === '-X';
