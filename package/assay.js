#!/usr/bin/env node
// Also for versions of Node that cannot run the rest: what they lack is said in one line.
const wanted = [22, 15];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
  process.stderr.write(`assay needs Node ${wanted.join('.')} or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}
const { enableCompileCache } = await import('node:module');
const { join } = await import('node:path');
// Beside the program, where nobody else can plant code; where that cannot be written, there is none.
enableCompileCache(join(import.meta.dirname, '../.cache'));
await import('../cli/main.js');
