import { describe, expect, test } from 'vitest';
import { createRepositoryFiles } from '../../../gates/environment/detect/repository-files.ts';
import { detectDependencySetup } from '../../../gates/environment/detect-setup.ts';

const filesWith = (contents: Readonly<Record<string, string>>) =>
  createRepositoryFiles(
    Object.keys(contents),
    async (path) => contents[path] ?? null,
    (name) => ['npm', 'pip', 'go', 'cargo'].includes(name),
  );

/** Lines as `folder: line`, on a machine with npm, pip, Go and Cargo only. */
const linesFor = async (contents: Readonly<Record<string, string>>): Promise<string[]> => {
  return (await detectDependencySetup(filesWith(contents))).flatMap(({ lines }) =>
    lines.map(({ run, folder }) => (folder === '' ? run : `${folder}: ${run}`)),
  );
};

describe('packages of Node', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['npm', { 'package.json': '{}', 'package-lock.json': '' }, ['npm ci']],
    ['no lock file', { 'package.json': '{}' }, ['npm install --no-package-lock']],
    [
      'pnpm of the version that wrote the lock file',
      { 'package.json': '{}', 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" },
      ['npm install --global pnpm@8', 'pnpm install --frozen-lockfile'],
    ],
    [
      'the declared package manager',
      { 'package.json': '{"packageManager": "yarn@4.1.0+sha224.953c"}', 'yarn.lock': '__metadata:\n' },
      ['npm install --global @yarnpkg/cli-dist@4.1.0', 'yarn install --immutable'],
    ],
    [
      'yarn 1',
      { 'package.json': '{}', 'yarn.lock': '' },
      ['npm install --global yarn', 'yarn install --frozen-lockfile'],
    ],
    [
      'bun',
      { 'package.json': '{}', 'bun.lock': '' },
      ['npm install --global bun', 'bun install --frozen-lockfile'],
    ],
    [
      'a workspace once, and projects beside it by their own lock files',
      {
        'package.json': '{"workspaces": ["packages/*"]}',
        'package-lock.json': '',
        'packages/a/package.json': '{}',
        'docs/package.json': '{}',
        'docs/package-lock.json': '',
        'test/fixtures/b/package.json': '{}',
        'test/fixtures/b/package-lock.json': '',
      },
      ['npm ci', 'docs: npm ci'],
    ],
  ])('%s', async (_, contents, wanted) => {
    expect(await linesFor(contents)).toEqual(wanted);
  });
});

describe('projects of Python', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'uv with groups and extras for tests',
      {
        'uv.lock': '',
        'pyproject.toml':
          '[project]\nname = "a"\n[project.optional-dependencies]\ntest = []\nweb = []\n[dependency-groups]\ndocs = []\ndev = []\n',
      },
      ['pip install uv', 'uv sync --frozen --group dev --extra test'],
    ],
    [
      'poetry',
      { 'poetry.lock': '', 'pyproject.toml': '[tool.poetry.group.test]\noptional = true\n' },
      ['pip install poetry', 'poetry install --no-interaction --with test'],
    ],
    ['pdm', { 'pdm.lock': '', 'pyproject.toml': '' }, ['pip install pdm', 'pdm sync --dev']],
    ['pipenv', { 'Pipfile.lock': '', Pipfile: '' }, ['pip install pipenv', 'pipenv sync --dev']],
    [
      'extras',
      {
        'pyproject.toml':
          '[build-system]\nrequires = []\n[project]\nname = "a"\n[project.optional-dependencies]\ntesting = []\n',
      },
      ["pip install -e '.[testing]'"],
    ],
    [
      'dependency groups',
      { 'pyproject.toml': '[project]\nname = "a"\n[dependency-groups]\ntests = []\n' },
      ['pip install -e .', "pip install 'pip>=25.1'", 'pip install --group tests'],
    ],
    [
      'requirement files, without the files that the one for development includes',
      {
        'requirements.txt': '',
        'requirements/dev.txt': '',
        'requirements/test.txt': '',
        'docs/requirements.txt': '',
      },
      ['pip install -r requirements.txt', 'pip install -r requirements/dev.txt'],
    ],
    [
      'tox',
      {
        'setup.py': '',
        'tox.ini':
          '[tox]\n[testenv]\ndeps =\n  pytest>=7\n  py38: old\n  -r x.txt\n[testenv:docs]\ndeps = sphinx\n',
      },
      ['pip install -e .', "pip install 'pytest>=7'"],
    ],
    [
      'several projects, and none for settings of tools alone',
      {
        'pyproject.toml': '[tool.ruff]\n',
        'api/pyproject.toml': '[project]\nname = "api"\n',
        'worker/setup.py': '',
        'worker/plugin/setup.py': '',
      },
      ['api: pip install -e .', 'worker: pip install -e .'],
    ],
  ])('%s', async (_, contents, wanted) => {
    expect(await linesFor(contents)).toEqual(wanted);
  });
});

describe('Go and Rust', () => {
  test('a workspace of Go is prepared at its top', async () => {
    const contents = { 'go.work': '', 'a/go.mod': '', 'b/go.mod': '' };
    expect(await linesFor(contents)).toEqual(['go mod download']);
    const [detected] = await detectDependencySetup(filesWith(contents));
    // Patterns such as ./... cover modules, and the top is none.
    expect(detected?.warmUp?.map(({ folder }) => folder)).toEqual(['a', 'b']);
  });

  test('tests of Go are compiled, vetted and linked once, and not started', async () => {
    const [detected] = await detectDependencySetup(filesWith({ 'api/go.mod': '' }));
    expect(detected?.warmUp).toEqual([{ run: 'go test -exec true ./...', folder: 'api' }]);
  });

  test('crates are fetched as locked, where a lock file is committed', async () => {
    expect(await linesFor({ 'Cargo.toml': '', 'Cargo.lock': '', 'crates/a/Cargo.toml': '' })).toEqual([
      'cargo fetch --locked',
    ]);
    expect(await linesFor({ 'Cargo.toml': '' })).toEqual(['cargo fetch']);
    const [detected] = await detectDependencySetup(filesWith({ 'Cargo.toml': '' }));
    expect(detected?.warmUp?.map(({ run }) => run)).toEqual([
      'cargo test --quiet --no-run',
      'cargo check --quiet --all-targets',
    ]);
  });
});
