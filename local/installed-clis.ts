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

/** The agent CLIs that are on this machine's path: what may do a task when the provider of another one is down. */
export const findInstalledClis = (path = process.env['PATH'] ?? ''): string[] =>
  AGENT_CLI_PROGRAMS.filter((kind) =>
    path.split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, kind))),
  );
