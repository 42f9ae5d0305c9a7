#!/usr/bin/env node
// Plain JavaScript: a first file in TypeScript makes Node load its type stripper, a tenth of the start and 8 MB. All other files come
// from the compile cache.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// A folder of our own: in the shared folder for temporary files, any user could plant code.
enableCompileCache(join(import.meta.dirname, '..', '.cache', 'compiled'));
await import('./main.ts');
