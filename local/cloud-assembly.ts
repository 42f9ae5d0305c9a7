import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { tryLock } from './file-lock.ts';

/** Folders and files that the assembly depends on, relative to the root of the checkout. */
const SOURCES = ['infra', 'functions', 'containers', 'shared', 'workspace', 'gates', 'page'];
const FILES = ['package-lock.json', 'package.json', 'cdk.json', 'tsconfig.json'];
/** Milliseconds after which an unused assembly is removed. */
const KEEP_MS = 7 * 24 * 3_600_000;

export interface AssemblyOptions {
  /** Root of the checkout. */
  readonly root: string;
  /** Folder of the assemblies. */
  readonly cache: string;
  /** Settings of the deployment that differ from the defaults, by name. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Receives the output of the synthesis. */
  onLog(line: string): void;
}

/**
 * Returns the directory of the cloud assembly for the current sources. Synthesises it if it does not exist.
 */
export async function prepareCloudAssembly({
  root,
  cache,
  settings = {},
  onLog,
}: AssemblyOptions): Promise<string> {
  const directory = join(cache, `assembly-${hashSources(root)}${settingsTag(settings)}`);
  if (existsSync(join(directory, 'manifest.json'))) return directory;
  mkdirSync(cache, { recursive: true });
  const unlock = await lock(join(cache, 'assembly.lock'));
  try {
    if (existsSync(join(directory, 'manifest.json'))) return directory;
    onLog('synthesising the template; this is done once per version');
    const partial = `${directory}.${process.pid}.partial`;
    await synthesise(root, partial, settings, onLog);
    rmSync(directory, { recursive: true, force: true });
    renameSync(partial, directory);
    prune(cache, directory);
    return directory;
  } finally {
    unlock();
  }
}

/** Distinguishes assemblies of the same sources. */
function settingsTag(settings: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length === 0) return '';
  return `-${createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 8)}`;
}

/** Returns one hash of the names and contents of all sources. */
export function hashSources(root: string): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    hash.update(`${relative(root, path).split(sep).join('/')}\0`);
    hash.update(readFileSync(path));
    hash.update('\0');
  };
  for (const folder of SOURCES) {
    const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort((a, b) => (a < b ? -1 : 1))) add(path);
  }
  for (const file of FILES) if (existsSync(join(root, file))) add(join(root, file));
  return hash.digest('hex').slice(0, 16);
}

async function synthesise(
  root: string,
  outdir: string,
  settings: Readonly<Record<string, string>>,
  onLog: (line: string) => void,
): Promise<void> {
  const context = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`assay:${name}`, value]),
  );
  const child = spawn(process.execPath, ['infra/app.ts'], {
    cwd: root,
    // `npm run synth` checks the template's rules, which takes twice as long and gives the same template.
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify(context),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.push(text);
      onLog(text.trimEnd());
    });
  }
  const [code] = await once(child, 'close');
  if (code === 0) return;
  rmSync(outdir, { recursive: true, force: true });
  throw new Error(`the template could not be synthesised (exit ${code}):\n${output.join('').slice(-4_000)}`);
}

/** Waits for the lock: two processes at once would bundle into the same folder. */
async function lock(path: string): Promise<() => void> {
  for (;;) {
    const unlock = tryLock(path);
    if (unlock !== null) return unlock;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function prune(cache: string, current: string): void {
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith('assembly-'))) {
    const path = join(cache, name);
    const age = Date.now() - statSync(path).mtimeMs;
    if (path !== current && age > KEEP_MS) rmSync(path, { recursive: true, force: true });
  }
}
