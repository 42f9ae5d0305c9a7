const INTERPRETER =
  /^(?:.*\/)?(?:bash|sh|zsh|dash|node|nodejs|deno|bun|tsx|python[\d.]*|ruby|perl|php|source|\.)$/;
const RUNNER = /(?:^|[\s;&|(])(?:npm|npx|pnpm|yarn|bun)\s/;
/** Things that may stand before a command: `env`, `time`, variable assignments. */
const PREFIX = /^(?:env|time|exec|command|nice|[A-Za-z_]\w*=.*)$/;

/**
 * The files that a command line runs as programs: its first word, or what directly follows an interpreter. They decide
 * what the check does, so whoever changes them changes the check.
 */
export function listScriptFilesOfCommand(line: string): string[] {
  const found: string[] = [];
  for (const part of line.split(/&&|\|\||[;&|()\n]/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/^["']|["']$/g, ''));
    while (words[0] !== undefined && PREFIX.test(words[0])) words.shift();
    const [first, second] = words;
    const script = first !== undefined && INTERPRETER.test(first) ? second : first;
    if (script && !script.startsWith('-')) found.push(script.replace(/^\.\//, ''));
  }
  return found;
}

/** Does the same as `listScriptFilesOfCommand`, and through the scripts of the base's package.json when the line goes through a package manager. */
export const listScriptFilesThroughPackageJson = (line: string, packageJson: string | null): string[] =>
  [line, ...listPackageScriptCommands(line, packageJson)].flatMap(listScriptFilesOfCommand);

/** The lines of all scripts in package.json, when the line goes through a package manager. */
export const listPackageScriptCommands = (line: string, packageJson: string | null): string[] =>
  packageJson === null || !RUNNER.test(`${line} `) ? [] : packageScripts(packageJson);

const packageScripts = (text: string): string[] => Object.values(scriptsIn(text));

/** The line of one script in package.json, or null. */
export function findPackageScriptCommand(packageJson: string | null, name: string): string | null {
  const scripts = packageJson === null ? {} : scriptsIn(packageJson);
  return Object.hasOwn(scripts, name) ? (scripts[name] ?? null) : null;
}

function scriptsIn(text: string): Readonly<Record<string, string>> {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null
      ? Object.fromEntries(Object.entries(scripts).filter(([, script]) => typeof script === 'string'))
      : {};
  } catch {
    return {};
  }
}
