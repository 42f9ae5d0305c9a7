import type { Command } from 'commander';
import { type Catalog, type CatalogEntry, readCatalog } from '../../shared/control/roles/catalog.ts';
import { BUILTIN_NAMES, builtinRole } from '../../shared/control/roles/known.ts';
import { REPOSITORY_ROLES } from '../../shared/control/roles/role.ts';
import { repositoryRoles } from '../agents/repository.ts';
import { fetchCatalog, isUrl, readFolder, type Source } from '../agents/source.ts';
import { readLock, syncRoles } from '../agents/sync.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import { posixPath } from '../posix-path.ts';
import { SUMMARY } from '../summary.ts';

interface ListedAgent {
  readonly name: string;
  readonly source: 'built_in' | 'repository' | 'catalog';
  readonly model: string;
  readonly effort: string;
  readonly max_tasks_per_session: number;
  readonly description: string | null;
}

const listed = (
  name: string,
  source: ListedAgent['source'],
  config: Pick<CatalogEntry, 'model' | 'effort' | 'max_tasks_per_session' | 'description'>,
): ListedAgent => ({
  name,
  source,
  model: config.model,
  effort: config.effort,
  max_tasks_per_session: config.max_tasks_per_session,
  description: config.description ?? null,
});

/** Everything that is wrong, with file and line. */
function refuse({ problems }: Catalog, what: string): void {
  if (problems.length === 0) return;
  throw new CliError(EXIT.usage, 'invalid_catalog', `${what} cannot be used as it is.`, {
    details: problems.map(({ file, line, message }) => ({
      where: `${file}${line === null ? '' : `:${line}`}`,
      message,
    })),
    hint: 'docs/roles.md says what an agent of a catalog looks like.',
  });
}

async function everyRole(cwd: string, from: Source | null): Promise<ListedAgent[]> {
  const agents = new Map<string, ListedAgent>();
  for (const name of BUILTIN_NAMES) {
    const role = builtinRole(name);
    if (role) agents.set(name, listed(name, 'built_in', role.config));
  }
  const own = await repositoryRoles(cwd);
  refuse({ entries: [], problems: own.problems }, REPOSITORY_ROLES);
  for (const { name, config } of own.roles) agents.set(name, listed(name, 'repository', config));
  if (from !== null) {
    const catalog = readCatalog((await fetchCatalog(from, cwd)).files);
    refuse(catalog, from.source);
    for (const { entry } of catalog.entries) agents.set(entry.name, listed(entry.name, 'catalog', entry));
  }
  return [...agents.values()];
}

interface From {
  readonly ref?: string;
  readonly folder?: string;
}
const sourceOf = (source: string, { ref = 'HEAD', folder: given = '' }: From): Source => {
  const folder = posixPath(given);
  if (folder.split('/').some((part) => part === '..') || folder.startsWith('/'))
    throw new CliError(EXIT.usage, 'bad_folder', `--folder ${oneLine(folder)} leaves the catalog.`);
  return { source, ref: isUrl(source) ? ref : '', folder: folder.replace(/^\.\/|\/+$/g, '') };
};

export function registerAgents(program: Command, io: Io): void {
  const agents = program.command('agents').description(SUMMARY.agents);
  const withSource = (command: Command): Command =>
    command
      .option('--ref <ref>', 'git: branch, tag or commit (default: the default branch)')
      .option('--folder <path>', 'folder of the catalog below it');

  const list = withSource(
    agents
      .command('list')
      .argument('[source]', 'also list those of this catalog: a folder, or the URL of a git repository')
      .description('Every role that tasks may name here: built in, and of .assay/roles in this folder'),
  ).option(...JSON_OPTION);
  action<[string | undefined, From]>(list, io, async (session, source, from) => {
    const all = await everyRole(session.io.cwd, source === undefined ? null : sourceOf(source, from));
    if (session.json) session.printJson({ agents: all });
    else
      session.print(
        renderTable(
          [
            { title: 'ROLE' },
            { title: 'FROM' },
            { title: 'MODEL' },
            { title: 'EFFORT' },
            { title: 'TASKS' },
            { title: 'WHAT', shrinkTo: 16 },
          ],
          all.map((each) => [
            { text: each.name, style: session.out.bold },
            each.source.replace('_', ' '),
            each.model,
            each.effort,
            String(each.max_tasks_per_session),
            oneLine(each.description ?? ''),
          ]),
          session.io.stdout.columns,
          session.out.dim,
        ),
      );
    return EXIT.ok;
  });
  examples(list, [
    ['agents list', 'what a task may name as its role'],
    ['agents list ../agents --json', 'with those of a catalog, for a script'],
  ]);

  const validate = agents
    .command('validate')
    .argument('[path...]', 'catalog folders or files; none: .assay/roles of this folder')
    .description('Check catalogs, or the roles of this folder; errors have file and line')
    .option(...JSON_OPTION);
  action<[string[]]>(validate, io, async (session, paths) => {
    const catalogs = await Promise.all(
      paths.map(async (path) => readCatalog(await readFolder(path, session.io.cwd))),
    );
    const own = paths.length === 0 ? await repositoryRoles(session.io.cwd) : { roles: [], problems: [] };
    const problems = [...own.problems, ...catalogs.flatMap((catalog) => catalog.problems)];
    const names = [
      ...own.roles.map(({ name }) => name),
      ...catalogs.flatMap(({ entries }) => entries.map(({ entry }) => entry.name)),
    ];
    refuse({ entries: [], problems }, paths.length === 0 ? REPOSITORY_ROLES : paths.join(', '));
    if (session.json) session.printJson({ valid: names });
    else session.print(names.length === 0 ? 'There is nothing to check.' : `Good: ${names.join(', ')}`);
    return EXIT.ok;
  });
  examples(validate, [
    ['agents validate', 'the roles in .assay/roles'],
    ['agents validate ../agents', 'a catalog'],
  ]);

  const sync = withSource(
    agents
      .command('sync')
      .argument(
        '[source]',
        'a folder, or the URL of a git repository; none: what was synchronised last, at its commit',
      )
      .description(
        'Write the agents of a catalog into .assay/roles of this folder, to be reviewed and committed',
      ),
  )
    .option('--update', 'without a source: take what its ref stands for now')
    .option('--force', 'overwrite roles that were changed here or are not from the catalog')
    .option(...JSON_OPTION);
  action<[string | undefined, From & { readonly update?: boolean; readonly force?: boolean }]>(
    sync,
    io,
    async (session, given, options) => {
      const { cwd } = session.io;
      const lock = given === undefined ? await readLock(cwd) : null;
      if (given === undefined && lock === null)
        throw new CliError(EXIT.usage, 'no_source', 'Nothing was synchronised here yet: from where?', {
          hint: 'Give a folder or the URL of a git repository.',
        });
      const source = lock
        ? { source: lock.source, ref: lock.ref, folder: lock.folder }
        : sourceOf(given ?? '', options);
      const pinned = lock?.commit && !options.update ? { ...source, ref: lock.commit } : source;
      const { files, commit } = await fetchCatalog(pinned, cwd);
      const catalog = readCatalog(files);
      refuse(catalog, source.source);
      if (catalog.entries.length === 0)
        throw new CliError(EXIT.usage, 'empty_catalog', `${source.source} has no agent in it.`, {
          hint: 'A catalog has .yaml or .md files directly in its folder; --folder names another one.',
        });
      const synced = await syncRoles(
        cwd,
        source,
        commit,
        catalog.entries.map(({ entry }) => entry),
        options.force === true,
      );
      if (session.json) session.printJson({ source: source.source, commit, roles: synced });
      else
        session.print(
          [
            ...synced.map(({ name, change }) => `${change.padEnd(10)} ${name}`),
            ...(commit ? [`pinned at ${commit}`] : []),
          ].join('\n'),
        );
      return EXIT.ok;
    },
  );
  examples(sync, [
    [
      'agents sync https://github.com/acme/agents.git --ref v2 --folder roles',
      'pins the commit in .assay/agents.lock.json',
    ],
    ['agents sync', 'the same again, at the pinned commit'],
    ['agents sync --update', 'what v2 stands for now'],
  ]);
}
