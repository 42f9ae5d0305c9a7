import { accessSync, constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { listFolderAncestors } from '../../gates/tests/running/tool-folders.ts';

/** A program that a gate needs, and whether it is installed. */
export interface ToolAvailability {
  /** Name or path of the program; null when the command line names none, such as `if …; fi`. */
  readonly name: string | null;
  readonly found: boolean | null;
}

/** Words that may precede the program. */
const PREFIX = /^(?:env|time|exec|command|nice|[A-Za-z_]\w*=.*)$/;
const SHELL_WORD = /^(?:if|for|while|until|case|test|true|false|cd|set|export|exit|echo|\[|\[\[|!|\{|\()$/;
/** `npm run --silent lint`: the program is named in package.json. */
const SCRIPT = /^(?:npm|pnpm|yarn|bun)\s+(?:run\s+(?:-\S+\s+)*)?(?<script>[\w:.-]+)/;
const PACKAGE_RUNNER = /^(?:npx|bunx|pnpm\s+exec|uvx|uv\s+run|poetry\s+run)\s+(?:-\S+\s+)*/;

/**
 * Finds the program of a command line where a gate would find it: among the installed tools of the project, and on the PATH.
 * @param folder folder of the project that the line runs in; '' is the top
 * @param packageJson text of that folder's package.json, or null
 */
export async function findTool(
  command: string,
  dir: string,
  folder: string,
  packageJson: string | null,
  path: string = process.env['PATH'] ?? '',
): Promise<ToolAvailability> {
  const name = programOf(resolveScript(command.trim(), packageJson));
  if (name === null) return { name: null, found: null };
  const places = name.includes('/')
    ? [join(dir, folder, name)]
    : [
        ...listFolderAncestors(folder)
          .toReversed()
          .map((each) => join(dir, each, 'node_modules/.bin')),
        ...path.split(delimiter).filter(Boolean),
      ].map((place) => join(place, name));
  const found = await Promise.all(places.map(isExecutable));
  return { name, found: found.includes(true) };
}

/** Whether a program is on the PATH of this machine. */
export const findProgramOnPath = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

function resolveScript(command: string, packageJson: string | null): string {
  const script = SCRIPT.exec(command)?.groups?.['script'];
  if (script === undefined || packageJson === null) return command;
  try {
    const { scripts } = JSON.parse(packageJson) as { scripts?: Readonly<Record<string, unknown>> };
    const line = scripts?.[script];
    return typeof line === 'string' ? line.trim() : command;
  } catch {
    return command;
  }
}

function programOf(command: string): string | null {
  const words = command.replace(PACKAGE_RUNNER, '').split(/\s+/);
  while (words[0] !== undefined && PREFIX.test(words[0])) words.shift();
  const first = words[0]?.replace(/^["']|["';]+$/g, '').replace(/^\.\//, './');
  return first === undefined || first === '' || SHELL_WORD.test(first) ? null : first;
}
