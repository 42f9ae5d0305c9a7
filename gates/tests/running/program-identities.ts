import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { listScriptFilesThroughPackageJson } from './command-scripts.ts';

/** The programs that a command line names, also through the scripts of package.json, each with what tells it from another version. */
export async function listProgramIdentities(line: string, packageJson: string | null): Promise<string[]> {
  const words = listScriptFilesThroughPackageJson(line, packageJson);
  const identities = await Promise.all([...new Set(words)].sort().map(identityOf));
  return identities.filter((identity) => identity !== null);
}

async function identityOf(word: string): Promise<string | null> {
  if (word.includes('/')) return null;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    try {
      await access(join(folder, word), constants.X_OK);
      const file = await realpath(join(folder, word));
      const program = await describeFile(file);
      if (!SHIM.test(file)) return `${program} `;
      const started = await describePyenvProgram(file);
      return `${program} ${started ?? (await versionOf(join(folder, word)))}`;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

async function describeFile(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file);
  return `${file} ${size} ${mtimeMs}`;
}

/**
 * Describes the program that a shim of pyenv starts outside of projects, which is much faster than to ask it for its version.
 * Returns null where the file is no shim of pyenv, or its version has no such program.
 */
async function describePyenvProgram(shim: string): Promise<string | null> {
  const [, root, name] = /^(.*)\/shims\/([^/]+)$/.exec(shim) ?? [];
  if (root === undefined || name === undefined) return null;
  try {
    const chosen = process.env['PYENV_VERSION'] ?? (await readFile(join(root, 'version'), 'utf8'));
    const versions = chosen.split(/[\s:]+/).filter(Boolean);
    for (const version of versions) {
      const program = await describeFile(await realpath(join(root, 'versions', version, 'bin', name))).catch(
        () => null,
      );
      if (program !== null) return `${versions.join(':')} ${program}`;
    }
  } catch {
    // Another program with such shims.
  }
  return null;
}

/** Programs that start another one, which may be replaced while they stay as they are: of rustup, pyenv, asdf, mise and Volta. */
const SHIM = /\/(?:rustup|mise|asdf|volta-shim|shims\/[^/]+)$/;
/** How long one may take to say its version, in milliseconds. */
const ASK_MS = 5_000;

/** What a program says of itself, asked where no project chooses another version; null: it does not answer. */
const versionOf = (program: string): Promise<string | null> =>
  new Promise((resolve) => {
    execFile(program, ['--version'], { cwd: tmpdir(), timeout: ASK_MS }, (error, stdout) =>
      resolve(error ? null : stdout.trim()),
    );
  });
