import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const INSTALLED = join(ROOT, '.cache/aws');

/** Programs of PyPI that these tests run; `requirements/` locks each with all that it needs, by hash. */
export type PythonTool = 'emulator' | 'cfn-lint' | 'checkov' | 'moto';

/** Folder with the programs of a tool. */
export const getToolBinFolder = (tool: PythonTool): string => join(INSTALLED, tool, 'bin');

/**
 * Installs a tool into a virtual environment of its own, once for its lock.
 * @returns whether it is here afterwards; what went wrong is on standard error.
 */
export function installPythonTool(tool: PythonTool): boolean {
  const folder = join(INSTALLED, tool);
  const lock = join(import.meta.dirname, 'requirements', `${tool}.txt`);
  const stamp = join(folder, 'installed.txt');
  const wanted = readFileSync(lock, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(INSTALLED, { recursive: true });
  const run = (program: string, ...args: string[]): boolean =>
    spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const pip = [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
    '--requirement',
    lock,
  ];
  if (!run('python3', '-m', 'venv', folder) || !run(join(getToolBinFolder(tool), 'pip'), ...pip))
    return false;
  writeFileSync(stamp, wanted);
  return true;
}
