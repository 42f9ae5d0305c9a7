import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRole } from '../../shared/control/roles/parse-role.ts';
import {
  MAX_ROLE_FILE_BYTES,
  REPOSITORY_ROLES_FOLDER,
  ROLE_FILES,
  type Role,
  type RoleFileName,
} from '../../shared/control/roles/role.ts';
import type { FileProblem } from '../../shared/lib/yaml.ts';

/** Reads the roles in `.assay/roles` of a folder, with the problems of those that are not valid. */
export async function readRepositoryRoles(
  root: string,
): Promise<{ readonly roles: readonly Role[]; readonly problems: readonly FileProblem[] }> {
  const folders = await readdir(join(root, REPOSITORY_ROLES_FOLDER), { withFileTypes: true }).catch(() => []);
  const roles: Role[] = [];
  const problems: FileProblem[] = [];
  for (const folder of folders
    .filter((each) => each.isDirectory())
    .sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = `${REPOSITORY_ROLES_FOLDER}/${folder.name}`;
    const files: Partial<Record<RoleFileName, string>> = {};
    for (const name of Object.values(ROLE_FILES)) {
      const path = join(root, at, name);
      const found = await lstat(path).catch(() => null);
      if (found === null) continue;
      if (!found.isFile())
        problems.push({ file: `${at}/${name}`, line: null, message: 'is not a regular file' });
      else if (found.size > MAX_ROLE_FILE_BYTES)
        problems.push({
          file: `${at}/${name}`,
          line: null,
          message: `has more than ${MAX_ROLE_FILE_BYTES} bytes`,
        });
      else files[name] = await readFile(path, 'utf8');
    }
    const parsed = parseRole(folder.name, at, files);
    if ('role' in parsed) roles.push(parsed.role);
    else problems.push(...parsed.problems);
  }
  return { roles, problems };
}
