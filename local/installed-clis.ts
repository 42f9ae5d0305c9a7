import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AGENT_CLI_PROGRAMS } from '../shared/contract/resource-names.ts';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Returns the agent CLIs on this machine's path: those that can replace one whose provider is down. */
export const findInstalledClis = (path = process.env['PATH'] ?? ''): string[] =>
  AGENT_CLI_PROGRAMS.filter((kind) =>
    path.split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, kind))),
  );
