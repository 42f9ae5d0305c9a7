import type { ResolvedRole } from '../../contract/roles/resolved-role.ts';
import { RoleConfig } from '../../contract/roles/schema.ts';
import { describeFileProblem, parseYaml } from '../../lib/yaml.ts';
import { resolveBuiltinRole, resolveRole } from './defaults.ts';
import { MAX_ROLE_FILE_BYTES, REPOSITORY_ROLES_FOLDER, ROLE_FILES } from './role.ts';

/** Where a repository says what a role may use. */
export const roleConfigPath = (name: string): string =>
  `${REPOSITORY_ROLES_FOLDER}/${name}/${ROLE_FILES.config}`;

/**
 * A role as the base has it: `text` is that file of the base commit, null where there is none. What cannot be read ends the attempt in
 * the agent's box, which names each fault in the whole folder; it decides nothing here.
 */
export function parseRoleFileOfBase(name: string, text: string | null): ResolvedRole {
  if (text === null) return resolveBuiltinRole(name);
  if (Buffer.byteLength(text) > MAX_ROLE_FILE_BYTES)
    return resolveBuiltinRole(name, `${roleConfigPath(name)}: has more than ${MAX_ROLE_FILE_BYTES} bytes`);
  const parsed = parseYaml(text, roleConfigPath(name), RoleConfig);
  return 'value' in parsed
    ? resolveRole(parsed.value, { source: 'repository', unread_reason: null })
    : resolveBuiltinRole(name, parsed.problems.map(describeFileProblem).join('; '));
}
