import { parseTomlTables, type TomlTable } from '../../core/toml-tables.ts';
import type { EnvironmentCommand } from '../environment-setting.ts';
import { type DetectedDependencySetup, joinPathInFolder, type RepositoryFiles } from './repository-files.ts';

/** Names of extras and dependency groups with what tests and checkers need. */
const FOR_TESTS =
  /^(?:(?:all|dev|develop|development|lint|linting|mypy|types?|typing|pre-commit)|.*tests?|testing)$/i;
/** Requirement files with what tests and checkers need, besides `requirements.txt`. */
const TEST_REQUIREMENTS =
  /(?:^|\/)(?:requirements[-_./](?:dev|develop|test|tests|testing|ci|lint)|(?:dev|test|tests|testing|ci)[-_./]requirements)\.txt$/;
/** Most projects that are installed. */
const MAX_PROJECTS = 5;

const tableIn = (value: unknown, key: string): TomlTable => {
  const found = typeof value === 'object' && value !== null ? (value as TomlTable)[key] : undefined;
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as TomlTable) : {};
};

/** Proposes how the projects of Python are installed: the outermost ones, and those beside them. */
export async function detectPythonSetup(files: RepositoryFiles): Promise<DetectedDependencySetup[]> {
  const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg', 'Pipfile', 'requirements.txt'];
  const folders = [...new Set(manifests.flatMap((name) => files.foldersWith(name)))].toSorted(
    (a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1),
  );
  // A project inside of another one belongs to it, unless the outer one only holds settings of tools.
  const projects: string[] = [];
  for (const folder of folders) {
    if (projects.some((outer) => outer === '' || folder.startsWith(`${outer}/`))) continue;
    if ((await detectProject(files, folder)).length > 0) projects.push(folder);
  }
  const found = await Promise.all(projects.slice(0, MAX_PROJECTS).map((each) => detectProject(files, each)));
  return found.flat();
}

/** Returns the lines for one project; none where nothing can be installed. */
async function detectProject(files: RepositoryFiles, folder: string): Promise<DetectedDependencySetup[]> {
  const has = (name: string): boolean => files.paths.includes(joinPathInFolder(folder, name));
  const text = has('pyproject.toml') ? await files.read(joinPathInFolder(folder, 'pyproject.toml')) : null;
  const pyproject = parseTomlTables(text);
  const project = tableIn(pyproject, 'project');
  const tool = tableIn(pyproject, 'tool');
  const groups = Object.keys(tableIn(pyproject, 'dependency-groups')).filter((name) => FOR_TESTS.test(name));
  const extras = Object.keys(tableIn(project, 'optional-dependencies')).filter((name) =>
    FOR_TESTS.test(name),
  );
  const at = (...runs: readonly string[]): EnvironmentCommand[] => runs.map((run) => ({ run, folder }));
  const installer = (name: string): EnvironmentCommand[] =>
    files.hasProgram(name) ? [] : [{ run: `pip install ${name}`, folder: '' }];
  const setup = (file: string, lines: EnvironmentCommand[]): DetectedDependencySetup[] => [
    { reason: joinPathInFolder(folder, file), lines },
  ];
  if (has('uv.lock')) {
    const chosen = [...groups.map((name) => ` --group ${name}`), ...extras.map((name) => ` --extra ${name}`)];
    const workspace = Object.keys(tableIn(tableIn(tool, 'uv'), 'workspace')).length > 0;
    return setup('uv.lock', [
      ...installer('uv'),
      ...at(`uv sync --frozen${workspace ? ' --all-packages' : ''}${chosen.join('')}`),
    ]);
  }
  if (has('poetry.lock')) {
    const named = Object.keys(tableIn(tableIn(tool, 'poetry'), 'group')).filter((name) =>
      FOR_TESTS.test(name),
    );
    return setup('poetry.lock', [
      ...installer('poetry'),
      ...at(`poetry install --no-interaction${named.length > 0 ? ` --with ${named.join(',')}` : ''}`),
    ]);
  }
  if (has('pdm.lock')) return setup('pdm.lock', [...installer('pdm'), ...at('pdm sync --dev')]);
  if (has('Pipfile.lock')) return setup('Pipfile.lock', [...installer('pipenv'), ...at('pipenv sync --dev')]);
  const lines: EnvironmentCommand[] = [];
  const reasons: string[] = [];
  for (const path of await requirementFiles(files, folder)) {
    lines.push({ run: `pip install -r ${shellWord(path)}`, folder });
    reasons.push(joinPathInFolder(folder, path));
  }
  if (
    has('setup.py') ||
    'build-system' in pyproject ||
    'name' in project ||
    (await hasSetupCfgName(files, folder))
  ) {
    lines.push(...at(`pip install -e ${extras.length > 0 ? `'.[${extras.join(',')}]'` : '.'}`));
    reasons.push(
      joinPathInFolder(
        folder,
        has('pyproject.toml') ? 'pyproject.toml' : has('setup.py') ? 'setup.py' : 'setup.cfg',
      ),
    );
  }
  if (groups.length > 0) {
    // Older versions of pip do not know groups.
    lines.push({ run: "pip install 'pip>=25.1'", folder: '' });
    lines.push(...at(`pip install ${groups.map((name) => `--group ${name}`).join(' ')}`));
  }
  if (lines.length > 0) {
    const dependencies = await readToxDependencies(files, folder);
    if (dependencies.length > 0 && groups.length === 0 && extras.length === 0) {
      lines.push(...at(`pip install ${dependencies.map(shellWord).join(' ')}`));
      reasons.push(joinPathInFolder(folder, 'tox.ini'));
    }
  }
  return lines.length === 0 ? [] : [{ reason: [...new Set(reasons)].join(', '), lines }];
}

const hasSetupCfgName = async (files: RepositoryFiles, folder: string): Promise<boolean> =>
  /^\[metadata\][^[]*^name\s*=/ms.test((await files.read(joinPathInFolder(folder, 'setup.cfg'))) ?? '');

/** Returns requirement files of a project, from its folder on. Compiled ones (`x.txt` beside `x.in`) count once. */
async function requirementFiles(files: RepositoryFiles, folder: string): Promise<string[]> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const own = files.paths
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length))
    .filter((path) => path.split('/').length <= 2);
  const found = own.filter((path) => path === 'requirements.txt' || TEST_REQUIREMENTS.test(`/${path}`));
  // A file for development mostly includes the one for tests; installing both may conflict.
  const dev = found.filter((path) => /dev/.test(path));
  return found
    .filter((path) => dev.length === 0 || dev.includes(path) || path === 'requirements.txt')
    .slice(0, 4);
}

/** Returns the plain requirements of `[testenv]` in tox.ini; lines for single environments are left out. */
async function readToxDependencies(files: RepositoryFiles, folder: string): Promise<string[]> {
  const text = (await files.read(joinPathInFolder(folder, 'tox.ini'))) ?? '';
  const section = /^\[testenv\]\s*$(?<body>[\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(text)?.groups?.['body'] ?? '';
  const deps = /^deps\s*=(?<value>.*(?:\r?\n[ \t]+.*)*)/m.exec(section)?.groups?.['value'] ?? '';
  return deps
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => /^[A-Za-z][\w.-]*(?:\[[\w,\s-]*\])?(?:\s*[<>=!~]=?[^:{}]*)?$/.test(line));
}

const shellWord = (text: string): string =>
  /^[\w./@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
