import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CLI_KINDS, type CliKind } from '../../shared/contract/agents/adapter.ts';

/** Where the run of the real CLIs installs them. */
export const FOLDER = join(import.meta.dirname, '../../.cache/agent-clis');
export const BIN = join(FOLDER, 'bin');

const wanted = process.env['ASSAY_TEST_CLIS']?.split(',') ?? CLI_KINDS;
/** CLIs that are installed and asked for. */
export const PRESENT: readonly CliKind[] = CLI_KINDS.filter(
  (kind) => wanted.includes(kind) && existsSync(join(BIN, kind)),
);
/** What is printed becomes the fixtures of the unit tests. */
export const RECORDS = process.env['ASSAY_RECORD'] === '1';
