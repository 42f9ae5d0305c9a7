#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm run` moves to the package's folder; files and `.assay-data` are meant from where the user stands.
const home = resolve(dirname(fileURLToPath(import.meta.url)), '..');
// Halves the work of a start. Our own folder and not the shared one for temporary files, where anybody could plant code.
enableCompileCache(join(home, '.cache', 'compiled'));
const { INIT_CWD: from, npm_lifecycle_event: script } = process.env;
if (from && (script === 'assay' || script === 'demo') && process.cwd() === home) process.chdir(from);

// A reader that has seen enough (`assay tasks | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Only what is imported from here on is cached.
const [{ run }, { processIo }] = await Promise.all([import('./run.ts'), import('./io.ts')]);
const code = await run(process.argv.slice(2), processIo());
if (code !== 0) process.exitCode = code;
