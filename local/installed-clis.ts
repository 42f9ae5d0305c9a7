import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AGENT_CLI_KINDS, AGENT_CLI_MANIFESTS } from '../shared/contract/agents/adapter-manifests.ts';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Returns the agent CLIs on this machine's path: the kinds that can replace one whose provider is down. */
export const findInstalledClis = (path = process.env['PATH'] ?? ''): string[] =>
  AGENT_CLI_KINDS.filter((kind) =>
    path
      .split(delimiter)
      .some((folder) => folder !== '' && isProgram(join(folder, AGENT_CLI_MANIFESTS[kind].install.program))),
  );
