import { findPackageScriptCommand, listScriptFilesOfCommand } from './command-scripts.ts';

/** Most files that are read on the way, and how far one leads to the next. */
const MAX_FILES = 60;
const MAX_STEPS = 6;

/** How task runners are called, and where their tasks stand. */
const RUNNERS: readonly { readonly call: RegExp; readonly files: readonly string[] }[] = [
  {
    call: /(?:^|[\s;&|(])g?make(?=\s|$)|\$[({]MAKE[)}]/,
    files: ['GNUmakefile', 'makefile', 'Makefile'],
  },
  { call: /(?:^|[\s;&|(])just(?=\s|$)/, files: ['justfile', 'Justfile', '.justfile'] },
];
const MANAGER =
  /(?:^|[\s;&|("'])(?:npm|pnpm|yarn|bun)\s+((?:-\S+\s+)*)(?:run(?:-script)?\s+((?:-\S+\s+)*))?([\w:.-]+)|(?:^|[\s;&|(])node\s+--run[ =]([\w:.-]+)/g;
/** Calls that install, on which package managers run scripts unasked. */
const INSTALL = /(?:^|[\s;&|("'])(?:npm|pnpm|yarn|bun)(?=\s+(?:-\S+\s+)*(?:ci|i|install|add)(?:\s|$)|\s*$)/;
/** Programs that run several scripts of a package.json by their names. */
const SEVERAL = /(?:^|[\s;&|(])(?:npm-run-all2?|run-s|run-p|concurrently|wireit)\s([^;&|\n]{0,500})/g;
const SHELL = /\.(?:sh|bash|zsh|ksh|bats)$|(?:^|\/)[^./]+$/;

/** What a command line leads to. */
export interface ReachedScripts {
  /** Files that are run as programs. */
  readonly files: ReadonlySet<string>;
  /** The line itself, and those of the scripts and tasks on the way. */
  readonly lines: ReadonlySet<string>;
}

/**
 * The files that a command line runs as programs, directly, or through the scripts of package.json, the tasks of a Makefile or
 * justfile, and scripts of the shell. Only what the command leads to counts: `npm test` has nothing to do with `start`.
 * @param baseFile text of a file of the base commit.
 */
export async function findScriptsRunByCommand(
  line: string,
  baseFile: (path: string) => Promise<string | null>,
): Promise<ReachedScripts> {
  const reached = new Set<string>();
  const seenLines = new Set<string>();
  let lines = [line];
  let files = 0;
  const read = async (path: string): Promise<string | null> => (files++ < MAX_FILES ? baseFile(path) : null);
  const packageJson = await baseFile('package.json');
  for (let step = 0; step < MAX_STEPS && lines.length > 0; step++) {
    const next: string[] = [];
    for (const each of lines) {
      if (seenLines.has(each)) continue;
      seenLines.add(each);
      next.push(...packageLines(each, packageJson));
      for (const { call, files: names } of RUNNERS)
        if (call.test(each)) for (const name of names) next.push(...tasksOf((await read(name)) ?? '', each));
      for (const script of listScriptFilesOfCommand(each)) {
        if (reached.has(script)) continue;
        reached.add(script);
        if (!script.includes('$') && SHELL.test(script))
          next.push(...shellLines((await read(script)) ?? '', script));
      }
    }
    lines = next;
  }
  return { files: reached, lines: seenLines };
}

/** The scripts of package.json that a line runs, with what runs before and after them. */
function packageLines(line: string, packageJson: string | null): string[] {
  const names = [
    ...[...line.matchAll(MANAGER)].map((match) => match[3] ?? match[4] ?? ''),
    ...[...line.matchAll(SEVERAL)].flatMap(([, words = '']) => words.split(/[\s"']+/)),
  ].map((name) => (name === 't' || name === 'tst' ? 'test' : name));
  if (INSTALL.test(line)) names.push('install', 'prepare');
  return names.flatMap((name) =>
    [`pre${name}`, name, `post${name}`].flatMap((each) => findPackageScriptCommand(packageJson, each) ?? []),
  );
}

/** Lines of the tasks that a call names, and of those that they need; of the first one when it names none. */
function tasksOf(text: string, call: string): string[] {
  const tasks = new Map<string, { readonly needs: readonly string[]; readonly lines: string[] }>();
  let current: { readonly needs: readonly string[]; readonly lines: string[] } | null = null;
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    if (/^\s/.test(line)) {
      current?.lines.push(line.trim().replace(/^[@+-]+/, ''));
      continue;
    }
    const rule = /^([^\s:#=][^:#]{0,300}?)\s*::?(?!=)([^=#;]{0,1000})(?:;(.*))?$/.exec(line);
    if (!rule) continue;
    current = { needs: (rule[2] ?? '').trim().split(/\s+/), lines: rule[3] === undefined ? [] : [rule[3]] };
    // A recipe of just may have parameters behind its name.
    for (const name of (rule[1] ?? '').trim().split(/\s+/)) {
      const known = tasks.get(name);
      if (known) current = { needs: [...known.needs, ...current.needs], lines: known.lines };
      tasks.set(name, current);
    }
  }
  const named = call.split(/[\s;&|()]+/).filter((word) => tasks.has(word));
  const first = [...tasks.keys()].find((name) => !name.startsWith('.'));
  const wanted = named.length > 0 ? named : first === undefined ? [] : [first];
  const found = new Set<string>();
  for (let at = 0; at < wanted.length && at < 1_000; at++) {
    const task = wanted[at];
    if (task === undefined || found.has(task)) continue;
    found.add(task);
    wanted.push(...(tasks.get(task)?.needs ?? []));
  }
  return [...found].flatMap((name) => tasks.get(name)?.lines ?? []);
}

/** Lines of a script of the shell, with its own folder in the place of the usual ways to write it. */
function shellLines(text: string, path: string): string[] {
  const first = text.slice(0, 200).split('\n', 1)[0] ?? '';
  if (first.startsWith('#!') && !/\b(?:ba|z|k|da)?sh\b|\bbats\b/.test(first)) return [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return text
    .slice(0, 200_000)
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*#/.test(line))
    .slice(0, 2_000)
    .map((line) =>
      line
        .replace(
          /"?\$\(\s{0,5}dirname\s{1,5}"?(?:\$0|\$\{?BASH_SOURCE(?:\[0\])?\}?)"?\s{0,5}\)\/|"?\$\{0%\/\*\}\//g,
          folder,
        )
        .trim(),
    );
}
