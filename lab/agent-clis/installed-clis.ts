import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_CLI_KINDS, type AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';

/** Where the run of the real CLIs installs them. */
export const CLI_INSTALL_FOLDER = join(import.meta.dirname, '../../.cache/agent-clis');
export const CLI_BIN_FOLDER = join(CLI_INSTALL_FOLDER, 'bin');

const wanted = process.env['ASSAY_TEST_CLIS']?.split(',') ?? AGENT_CLI_KINDS;
/** CLIs that are installed and asked for. */
export const INSTALLED_CLIS: readonly AgentCliKind[] = AGENT_CLI_KINDS.filter(
  (kind) => wanted.includes(kind) && existsSync(join(CLI_BIN_FOLDER, kind)),
);
/** What is printed becomes the fixtures of the unit tests. */
export const IS_RECORDING = process.env['ASSAY_RECORD'] === '1';
