import { BUILTIN_ROLE_NAMES, findBuiltinRole } from '../../shared/control/roles/builtin-role.ts';
import { parseCatalog, type RoleCatalog, type RoleCatalogEntry } from '../../shared/control/roles/catalog.ts';
import { REPOSITORY_ROLES_FOLDER } from '../../shared/control/roles/role.ts';
import {
  fetchRoleCatalog,
  isFolderInsideCatalogSource,
  isUrl,
  type RoleCatalogSource,
  readRoleCatalogFolder,
} from '../agents/catalog-source.ts';
import { readRepositoryRoles } from '../agents/repository-roles.ts';
import { readRolesLock, syncRoles } from '../agents/sync-roles.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import { toOneLine } from '../output/text.ts';
import { defineArgument, defineOption } from '../parameters.ts';
import { toPosixPath } from '../posix-path.ts';

interface ListedRole {
  readonly name: string;
  readonly source: 'built_in' | 'repository' | 'catalog';
  readonly model: string;
  readonly effort: string;
  readonly max_tasks_per_session: number;
  readonly description: string | null;
}

const listedRole = (
  name: string,
  source: ListedRole['source'],
  config: Pick<RoleCatalogEntry, 'model' | 'effort' | 'max_tasks_per_session' | 'description'>,
): ListedRole => ({
  name,
  source,
  model: config.model,
  effort: config.effort,
  max_tasks_per_session: config.max_tasks_per_session,
  description: config.description ?? null,
});

/** @throws CliError that names each problem with file and line, if there is one */
function assertValid({ problems }: Pick<RoleCatalog, 'problems'>, source: string): void {
  if (problems.length === 0) return;
  throw new CliError(CLI_EXIT_CODES.usage, 'invalid_catalog', `${source} is not valid.`, {
    details: problems.map(({ file, line, message }) => ({
      where: `${file}${line === null ? '' : `:${line}`}`,
      message,
    })),
    hint: 'docs/how-to/roles.md describes the format of a catalog.',
  });
}

/** Lists built-in roles, the roles of the repository, and those of a catalog; later ones replace earlier ones of the same name. */
async function listRoles(cwd: string, from: RoleCatalogSource | null): Promise<ListedRole[]> {
  const roles = new Map<string, ListedRole>();
  for (const name of BUILTIN_ROLE_NAMES) {
    const role = findBuiltinRole(name);
    if (role) roles.set(name, listedRole(name, 'built_in', role.config));
  }
  const own = await readRepositoryRoles(cwd);
  assertValid(own, REPOSITORY_ROLES_FOLDER);
  for (const { name, config } of own.roles) roles.set(name, listedRole(name, 'repository', config));
  if (from !== null) {
    const catalog = parseCatalog((await fetchRoleCatalog(from, cwd)).files);
    assertValid(catalog, from.source);
    for (const { entry } of catalog.entries) roles.set(entry.name, listedRole(entry.name, 'catalog', entry));
  }
  return [...roles.values()];
}

interface SourceOptions {
  readonly ref: string | undefined;
  readonly folder: string | undefined;
}
const parseSource = (
  source: string,
  { ref = 'HEAD', folder: given = '' }: SourceOptions,
): RoleCatalogSource => {
  const folder = toPosixPath(given);
  if (!isFolderInsideCatalogSource(folder))
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_folder',
      `--folder ${toOneLine(folder)} is outside of the catalog.`,
    );
  return { source, ref: isUrl(source) ? ref : '', folder: folder.replace(/^\.\/|\/+$/g, '') };
};
const SOURCE_OPTIONS = {
  ref: defineOption('--ref <ref>', 'git: branch, tag or commit (default: the default branch)'),
  folder: defineOption('--folder <path>', 'folder of the catalog below the source'),
};

/** Returns the source that was synchronised last, and its lock file's commit unless `update` is set. */
async function lockedSource(
  cwd: string,
  update: boolean,
): Promise<{ readonly source: RoleCatalogSource; readonly pinned: RoleCatalogSource }> {
  const lock = await readRolesLock(cwd);
  if (lock === null)
    throw new CliError(CLI_EXIT_CODES.usage, 'no_source', 'Nothing was synchronised here yet.', {
      hint: 'Give a folder or the URL of a git repository.',
    });
  const source = { source: lock.source, ref: lock.ref, folder: lock.folder };
  return { source, pinned: lock.commit && !update ? { ...source, ref: lock.commit } : source };
}

const renderRoles = (roles: readonly ListedRole[], session: LocalCommandSession): string =>
  session.table(
    [
      { title: 'ROLE' },
      { title: 'FROM' },
      { title: 'MODEL' },
      { title: 'EFFORT' },
      { title: 'TASKS' },
      { title: 'WHAT', shrinkTo: 16 },
    ],
    roles.map((each) => [
      { text: each.name, style: session.out.bold },
      each.source.replace('_', ' '),
      each.model,
      each.effort,
      String(each.max_tasks_per_session),
      toOneLine(each.description ?? ''),
    ]),
  );

/** `agents`: roles of agents, and the catalogs that they come from. */
export const agentCommands = [
  defineLocalCommand({
    name: 'agents list',
    description: 'List every role that tasks may name here: built-in, and of .assay/roles in this folder',
    arguments: {
      source: defineArgument(
        '[source]',
        'also list the roles of this catalog: a folder, or the URL of a git repository',
      ),
    },
    options: SOURCE_OPTIONS,
    json: {
      text: '`--json` prints every role that a task may name; a role of the repository or of the catalog replaces a built-in one of the same name.',
      example:
        '{"agents": [{"name": "qa", "source": "built_in", "model": "sonnet", "effort": "high", "max_tasks_per_session": 3, "description": "Writes tests, …"}]}',
    },
    examples: [
      ['agents list', 'the roles that a task may name'],
      ['agents list ../agents --json', 'with those of a catalog, for a script'],
    ],
    run: async (session, { source, ...options }) => {
      const from = source === undefined ? null : parseSource(source, options);
      const agents = await listRoles(session.io.cwd, from);
      session.show({ agents }, () => renderRoles(agents, session));
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'agents validate',
    description: 'Check catalogs, or the roles of this folder; errors have file and line',
    arguments: {
      paths: defineArgument('[path...]', 'catalog folders or files; none: .assay/roles of this folder'),
    },
    json: '`--json` prints `{"valid": [string]}`: the names, if all are valid; else the error, with a detail for each place.',
    examples: [
      ['agents validate', 'the roles in .assay/roles'],
      ['agents validate ../agents', 'a catalog'],
    ],
    run: async (session, { paths }) => {
      const { cwd } = session.io;
      const catalogs = await Promise.all(
        paths.map(async (path) => parseCatalog(await readRoleCatalogFolder(path, cwd))),
      );
      const own = paths.length === 0 ? await readRepositoryRoles(cwd) : { roles: [], problems: [] };
      const problems = [...own.problems, ...catalogs.flatMap((catalog) => catalog.problems)];
      const valid = [
        ...own.roles.map(({ name }) => name),
        ...catalogs.flatMap(({ entries }) => entries.map(({ entry }) => entry.name)),
      ];
      assertValid({ problems }, paths.length === 0 ? REPOSITORY_ROLES_FOLDER : paths.join(', '));
      session.show({ valid }, () =>
        valid.length === 0 ? 'No roles to check.' : `Valid: ${valid.join(', ')}`,
      );
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'agents sync',
    description: 'Write the agents of a catalog into .assay/roles of this folder, for review and commit',
    arguments: {
      source: defineArgument(
        '[source]',
        'a folder, or the URL of a git repository; none: the last synchronised source, at its commit',
      ),
    },
    options: {
      ...SOURCE_OPTIONS,
      update: defineOption('--update', 'without a source: read what its ref names now'),
      force: defineOption('--force', 'overwrite roles that were changed here or are not from the catalog'),
    },
    json: '`--json` prints `{"source": string, "commit": string | null, "roles": [{"name": string, "change": "added" | "changed" | "removed" | "unchanged"}]}`.',
    examples: [
      [
        'agents sync https://github.com/acme/agents.git --ref v2 --folder roles',
        'pins the commit in .assay/agents.lock.json',
      ],
      ['agents sync', 'the same again, at the pinned commit'],
      ['agents sync --update', 'the commit that v2 names now'],
    ],
    run: async (session, { source: given, update, force, ...options }) => {
      const { cwd } = session.io;
      const { source, pinned } =
        given === undefined
          ? await lockedSource(cwd, update === true)
          : { source: parseSource(given, options), pinned: parseSource(given, options) };
      const { files, commit } = await fetchRoleCatalog(pinned, cwd);
      const catalog = parseCatalog(files);
      assertValid(catalog, source.source);
      if (catalog.entries.length === 0)
        throw new CliError(CLI_EXIT_CODES.usage, 'empty_catalog', `${source.source} has no agents.`, {
          hint: 'A catalog has .yaml or .md files directly in its folder; --folder names another one.',
        });
      const entries = catalog.entries.map(({ entry }) => entry);
      const roles = await syncRoles(cwd, source, commit, entries, force === true);
      session.show({ source: source.source, commit, roles }, () =>
        [
          ...roles.map(({ name, change }) => `${change.padEnd(10)} ${name}`),
          ...(commit ? [`pinned at ${commit}`] : []),
        ].join('\n'),
      );
      return undefined;
    },
  }),
];
