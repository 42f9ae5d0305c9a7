#!/usr/bin/env node
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm run` changes to the folder of the package; files and `.assay-data` are relative to the folder of the user.
const home = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { INIT_CWD: from, npm_lifecycle_event: script } = process.env;
if (from && (script === 'assay' || script === 'demo') && process.cwd() === home) process.chdir(from);

// A reader that closes the pipe early, as in `assay tasks | head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Node would end with exit code 1, which is that of a verdict. The number is in cli/exit.ts, which may be what cannot be loaded.
process.on('uncaughtException', (error: unknown) => {
  process.stderr.write(
    `assay failed unexpectedly: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(70);
});

const [{ runCli }, { createProcessIo }] = await Promise.all([import('./run-cli.ts'), import('./io.ts')]);
const page = async (text: string): Promise<boolean> =>
  (await import('./output/pager.ts')).showInPager(text, process.env);
const code = await runCli(process.argv.slice(2), { ...createProcessIo(), page });
if (code !== 0) process.exitCode = code;
