#!/usr/bin/env node
// Plain JavaScript: for the first file that Node is given it loads what strips types, a tenth of a start and 8 MB; of all others what was
// compiled before is read.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Our own folder and not the shared one for temporary files, where anybody could plant code.
enableCompileCache(join(import.meta.dirname, '..', '.cache', 'compiled'));
await import('./main.ts');
