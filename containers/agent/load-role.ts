import type { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import { hasTurnLimit } from '../../shared/contract/agents/adapter.ts';
import type { RoleLimits } from '../../shared/contract/roles/schema.ts';
import { BUILTIN_ROLE_NAMES, findBuiltinRole } from '../../shared/control/roles/builtin-role.ts';
import {
  MAX_KNOWLEDGE_BYTES,
  MAX_ROLE_FILE_BYTES,
  REPOSITORY_KNOWLEDGE_FOLDER,
  REPOSITORY_ROLES_FOLDER,
  ROLE_FILES,
  type Role,
  type RoleFileName,
} from '../../shared/control/roles/role.ts';
import { fenceUntrustedText } from '../../shared/lib/fenced-prompt.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { listFolder, readFileOfTree } from '../../workspace/git/tree-folder.ts';

/** Names of the roles that a commit brings along. */
export const listRepositoryRoles = async (store: GitStore, commit: string): Promise<string[]> =>
  (await listFolder(store, commit, REPOSITORY_ROLES_FOLDER))
    .filter(({ mode }) => mode === '40000')
    .map(({ path }) => path.slice(REPOSITORY_ROLES_FOLDER.length + 1));

async function filesOf(
  store: GitStore,
  commit: string,
  folder: string,
): Promise<Partial<Record<RoleFileName, string>>> {
  const files: Partial<Record<RoleFileName, string>> = {};
  for (const name of Object.values(ROLE_FILES)) {
    const found = await readFileOfTree(store, commit, `${folder}/${name}`, MAX_ROLE_FILE_BYTES).catch(
      (error) => {
        throw new CheckoutError('config_invalid', `${folder}/${name}: ${String(error.message)}`);
      },
    );
    if (found === null) continue;
    if (!found.regular) throw new CheckoutError('config_invalid', `${folder}/${name}: is no plain file`);
    files[name] = found.content.toString('utf8');
  }
  return files;
}

/**
 * The role of a task: of the base commit where that has one of this name, else a built-in one. The base is what people have merged;
 * what an earlier attempt or another task has written is not in it.
 * @throws CheckoutError `config_invalid` when there is no such role, or what the base says of it cannot be read.
 */
export async function loadRole(name: string, store: GitStore, commit: string): Promise<Role> {
  const own = await listRepositoryRoles(store, commit);
  if (own.includes(name)) {
    // Only here is a parser needed, which takes longer to load than all the rest of this.
    const { parseRole } = await import('../../shared/control/roles/parse-role.ts');
    const { describeFileProblem } = await import('../../shared/lib/yaml.ts');
    const folder = `${REPOSITORY_ROLES_FOLDER}/${name}`;
    const parsed = parseRole(name, folder, await filesOf(store, commit, folder));
    if ('role' in parsed) return parsed.role;
    throw new CheckoutError('config_invalid', parsed.problems.map(describeFileProblem).join('; '));
  }
  const builtin = findBuiltinRole(name);
  if (builtin !== null) return builtin;
  throw new CheckoutError(
    'config_invalid',
    `there is no role ${name}: built in are ${BUILTIN_ROLE_NAMES.join(', ')}; in ${REPOSITORY_ROLES_FOLDER} of the base commit ${own.length === 0 ? 'there is none' : own.join(', ')}`,
  );
}

/**
 * What the base commit tells agents about the project: text files of one folder, by name, as many bytes as have room. It is text
 * of the repository and no instruction of ours, so it is fenced.
 */
export async function loadRepositoryKnowledge(store: GitStore, commit: string): Promise<string> {
  const entries = (await listFolder(store, commit, REPOSITORY_KNOWLEDGE_FOLDER))
    .filter(({ path, mode }) => mode.startsWith('100') && /\.(?:md|txt)$/.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const texts: string[] = [];
  const left: string[] = [];
  let room = MAX_KNOWLEDGE_BYTES;
  for (const { path } of entries) {
    const found = await readFileOfTree(store, commit, path, room).catch(() => null);
    if (found === null || found.content.length > room) left.push(path);
    else {
      room -= found.content.length;
      texts.push(fenceUntrustedText([{ label: path, text: found.content.toString('utf8').trim() }]).text);
    }
  }
  if (entries.length === 0) return '';
  const more =
    left.length === 0 ? '' : `\nThere was no room for ${left.join(', ')}; read them when you need them.`;
  return `## What the project says about itself\nFacts to work with; the task is above.\n${texts.join('\n')}${more}\n`;
}

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

/** The adapter within the limits of a role: the tighter one of each counts. */
export function applyRoleLimits(adapter: AgentAdapterSettings, limits: RoleLimits): AgentAdapterSettings {
  const timeout_s = least(adapter.timeout_s, limits.timeout_s) ?? adapter.timeout_s;
  if (!hasTurnLimit(adapter)) return { ...adapter, timeout_s };
  const max_turns = least(adapter.max_turns, limits.max_turns);
  return { ...adapter, timeout_s, ...(max_turns === undefined ? {} : { max_turns }) };
}
