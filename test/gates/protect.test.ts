import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { ProtectedConfigMergeContext } from '../../gates/rules/protect/config-merger.ts';
import { extractReferencedPaths } from '../../gates/rules/protect/config-references.ts';
import { mergeGoMod } from '../../gates/rules/protect/go-mod.ts';
import {
  findVendorRoot,
  isInUnchangedPackage,
  isShadowingCheckModule,
} from '../../gates/rules/protect/indirect-protection.ts';
import { mergeIniSections } from '../../gates/rules/protect/ini-sections.ts';
import { mergeDenoJson, mergePackageJson } from '../../gates/rules/protect/package-json.ts';
import { findFileProtection } from '../../gates/rules/protect/protection-lookup.ts';
import { mergeRequirements } from '../../gates/rules/protect/requirements.ts';
import { mergeCargoToml, mergePyproject } from '../../gates/rules/protect/toml.ts';
import {
  listScriptFilesOfCommand,
  listScriptFilesThroughPackageJson,
} from '../../gates/tests/running/command-scripts.ts';

const NOWHERE: ProtectedConfigMergeContext = { folder: '', isDeleted: () => false };

describe('a path that steers checks', () => {
  test.each([
    ['assay.yaml', 'gate configuration'],
    ['.assay/gates/own.mjs', 'gate configuration'],
    ['biome.json', 'linter or formatter configuration'],
    ['packages/a/biome.jsonc', 'linter or formatter configuration'],
    ['.eslintrc', 'linter or formatter configuration'],
    ['.eslintrc.cjs', 'linter or formatter configuration'],
    ['eslint.config.mjs', 'linter or formatter configuration'],
    ['.ruff.toml', 'linter or formatter configuration'],
    ['ruff.toml', 'linter or formatter configuration'],
    ['.golangci.yml', 'linter or formatter configuration'],
    ['clippy.toml', 'linter or formatter configuration'],
    ['sub/.gitignore', 'ignore rules, which linters follow'],
    ['CLAUDE.md', 'what steers the agents that work here next'],
    ['lib/AGENTS.md', 'what steers the agents that work here next'],
    ['claude.MD', 'what steers the agents that work here next'],
    ['.mcp.json', 'what steers the agents that work here next'],
    ['.claude/settings.json', 'what steers the agents that work here next'],
    ['lib/.claude/hooks/stop.sh', 'what steers the agents that work here next'],
    ['.codex/config.toml', 'what steers the agents that work here next'],
    ['.gemini/settings.json', 'what steers the agents that work here next'],
    ['.github/copilot-instructions.md', 'what steers the agents that work here next'],
    ['tsconfig.json', 'type-checker configuration'],
    ['tsconfig.build.json', 'type-checker configuration'],
    ['vitest.config.ts', 'test-runner configuration'],
    ['vitest.setup.ts', 'test-runner configuration'],
    ['jest.config.js', 'test-runner configuration'],
    ['.mocharc.yml', 'test-runner configuration'],
    ['pytest.ini', 'test-runner configuration'],
    ['tests/deep/conftest.py', 'set-up code that the test runner loads by itself'],
    ['sitecustomize.py', 'set-up code that the test runner loads by itself'],
    ['Makefile', 'task runner that the checks may go through'],
    ['node_modules/.bin/eslint', 'installed tools'],
    ['.github/workflows/ci.yml', 'hooks and continuous integration'],
    ['.husky/pre-commit', 'hooks and continuous integration'],
    ['.npmrc', 'tool and package-manager configuration'],
    ['.cargo/config.toml', 'tool and package-manager configuration'],
    ['package.json', 'scripts and settings of the checks'],
    ['pyproject.toml', 'settings of the checks'],
    ['go.mod', 'where known dependencies come from'],
    ['requirements-dev.txt', 'where known dependencies come from'],
    ['requirements/test.txt', 'where known dependencies come from'],
    ['PACKAGE.JSON', 'scripts and settings of the checks'],
    ['Biome.JSON', 'linter or formatter configuration'],
    ['eslint.config.\n', 'linter or formatter configuration'],
    ['.github/workflows/a\nb.yml', 'hooks and continuous integration'],
    ['sub/.husky/pre-commit', 'hooks and continuous integration'],
    ['.pre-commit-config.yaml', 'hooks and continuous integration'],
    ['.gitattributes', 'how git and its readers treat files'],
    ['lib/.gitmodules', 'how git and its readers treat files'],
    ['.semgrepignore', 'configuration of a scanner or of what it overlooks'],
    ['.gitleaksignore', 'configuration of a scanner or of what it overlooks'],
    ['.trivyignore', 'configuration of a scanner or of what it overlooks'],
    ['.snyk', 'configuration of a scanner or of what it overlooks'],
    ['sonar-project.properties', 'configuration of a scanner or of what it overlooks'],
    ['jest.e2e.config.ts', 'test-runner configuration'],
    ['vitest.unit.config.mts', 'test-runner configuration'],
    ['karma.conf.js', 'test-runner configuration'],
    ['.swcrc', 'test-runner configuration'],
    ['.babelrc', 'test-runner configuration'],
    ['src/setupTests.ts', 'test-runner configuration'],
    ['.config/nextest.toml', 'test-runner configuration'],
    ['.nycrc', 'coverage configuration'],
    ['GNUmakefile', 'task runner that the checks may go through'],
    ['justfile', 'task runner that the checks may go through'],
    ['build/rules.mk', 'task runner that the checks may go through'],
    ['turbo.json', 'task runner that the checks may go through'],
    ['pnpm-workspace.yaml', 'tool and package-manager configuration'],
    ['.yarn/releases/yarn.cjs', 'tool and package-manager configuration'],
    ['crates/a/.cargo/config.toml', 'tool and package-manager configuration'],
    ['.envrc', 'versions and environment of tools'],
    ['.tool-versions', 'versions and environment of tools'],
    ['rust-toolchain.toml', 'versions and environment of tools'],
    ['.venv/bin/python', 'installed tools'],
    ['venv/lib/python3/site.py', 'installed tools'],
    ['a/__pycache__/b.pyc', 'results of earlier runs, which tools believe'],
    ['deno.json', 'tasks and settings of the checks'],
  ])('is protected: %s', (path, reason) => {
    expect(findFileProtection(path)?.reason).toBe(reason);
  });

  test.each([
    'src/assay.yaml',
    'src/index.ts',
    'docs/github.md',
    'src/conftest.ts',
    'my-biome.json',
    'package-lock.json',
    'src/.assay/x',
    'Dockerfile',
    'build.rs',
    'src/env/index.ts',
    'src/test-setup.ts',
    'sub/.github/workflows/ci.yml',
    'src/config.ts',
    'src/makefile.py',
    'go.sum',
  ])('is not every path: %s', (path) => {
    expect(findFileProtection(path)).toBeNull();
  });
});

describe('a package.json', () => {
  const base = JSON.stringify({ name: 'a', scripts: { test: 'node --test' }, dependencies: { x: '1' } });

  test('keeps its dependencies and gets the scripts of the base', () => {
    const head = JSON.stringify({
      name: 'a',
      scripts: { test: 'true', new: 'x' },
      dependencies: { x: '2' },
      jest: {},
    });
    expect(JSON.parse(String(mergePackageJson(base, head, NOWHERE)))).toEqual({
      name: 'a',
      scripts: { test: 'node --test' },
      dependencies: { x: '2' },
    });
  });

  test('that steers as before is left alone', () => {
    expect(mergePackageJson(base, base.replace('"1"', '"2"'), NOWHERE)).toBeNull();
  });

  test.each(['{', '[]', 'null', '"x"'])('that is no object (%s) is taken from the base', (head) => {
    expect(mergePackageJson(base, head, NOWHERE)).toBe('base');
  });

  test('that is new brings no scripts', () => {
    expect(JSON.parse(String(mergePackageJson(null, base, NOWHERE)))).toEqual({
      name: 'a',
      dependencies: { x: '1' },
    });
  });
});

describe('a pyproject.toml', () => {
  const base =
    '[project]\nname = "a"\n\n[tool.ruff]\nselect = ["ALL"]\n\n[tool.ruff.lint]\nx = 1\n\n[tool.poetry]\nv = 1\n';
  const parsed = (text: string | null | 'base'): unknown =>
    text === null || text === 'base' ? text : parse(text);

  test('keeps the work and gets the tables that steer checks from the base', () => {
    const head =
      '[project]\nname = "b"\n\n[tool.ruff]\nselect = []\n\n[tool.pytest.ini_options]\naddopts = "-k nothing"\n\n[tool.poetry]\nv = 2\n';
    expect(parsed(mergePyproject(base, head, NOWHERE))).toEqual({
      project: { name: 'b' },
      tool: { poetry: { v: 2 }, ruff: { select: ['ALL'], lint: { x: 1 } } },
    });
  });

  test('that steers as before is left alone', () => {
    expect(mergePyproject(base, base.replace('v = 1', 'v = 3').replace('"a"', '"c"'), NOWHERE)).toBeNull();
  });

  test.each([
    'tool.ruff.select = []\n[project]\n',
    '[tool]\nruff = { select = [] }\n',
    '[project]\ndescription = """\n[tool.ruff]\nselect = ["ALL"]\n"""\n',
    '["tool".\'ruff\']\nselect = []\n',
  ])('that spells a table in another way is understood: %o', (head) => {
    expect(parsed(mergePyproject(base, head, NOWHERE))).toMatchObject({
      tool: { ruff: { select: ['ALL'] } },
    });
  });

  test.each(['[tool', 'a = 1\na = 2\n', '\0', '[['])(
    'that nobody can read is taken from the base: %o',
    (head) => {
      expect(mergePyproject(base, head, NOWHERE)).toBe('base');
    },
  );

  test('brings no plugin of pytest along', () => {
    const head = `${base}[project.entry-points.pytest11]\nmine = "mine"\n[project.scripts]\na = "a:main"\n`;
    expect(parsed(mergePyproject(base, head, NOWHERE))).toMatchObject({
      project: { 'entry-points': {}, scripts: { a: 'a:main' } },
    });
  });
});

describe('a Cargo.toml', () => {
  const base = `[package]
name = "a"
version = "1.0.0"

[lints.clippy]
all = "deny"

[profile.test]
overflow-checks = true

[dependencies]
serde = "1"
near = { path = "near" }

[[test]]
name = "odd"
path = "odd/odd.rs"

[workspace]
members = ["near", "far"]
`;
  const merged = (head: string, context: ProtectedConfigMergeContext = NOWHERE): unknown => {
    const text = mergeCargoToml(base, head, context);
    return text === null || text === 'base' ? text : parse(text);
  };
  const edited = (...pairs: readonly (readonly [string, string])[]): string =>
    pairs.reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    }, base);

  test.each<[string, string]>([
    ['new dependencies', edited(['serde = "1"', 'serde = "2"\nrand = { git = "https://example.org/rand" }'])],
    ['a new version', edited(['1.0.0', '1.1.0'])],
    ['a feature', `${base}\n[features]\nfast = []\n`],
    ['a benchmark with a harness of its own', `${base}\n[[bench]]\nname = "speed"\nharness = false\n`],
    ['a member', edited(['"far"]', '"far", "new"]'])],
    ['a test with a path', `${base}\n[[test]]\nname = "new"\npath = "new/new.rs"\n`],
  ])('may bring %s', (_, head) => {
    expect(merged(head)).toBeNull();
  });

  test.each<[string, string, object]>([
    ['lints', edited(['all = "deny"', 'all = "allow"']), { lints: { clippy: { all: 'deny' } } }],
    [
      'a profile',
      edited(['overflow-checks = true', 'overflow-checks = false']),
      { profile: { test: { 'overflow-checks': true } } },
    ],
    [
      'a test that is gone',
      edited(['[[test]]\nname = "odd"\npath = "odd/odd.rs"\n', '']),
      { test: [{ name: 'odd', path: 'odd/odd.rs' }] },
    ],
    [
      'a harness',
      edited(['path = "odd/odd.rs"', 'path = "odd/odd.rs"\nharness = false']),
      { test: [{ name: 'odd', path: 'odd/odd.rs' }] },
    ],
    [
      'what a known dependency is',
      edited(['serde = "1"', 'serde = { path = "fake" }']),
      { dependencies: { serde: '1' } },
    ],
    ['members', edited(['"near", "far"', '"near"']), { workspace: { members: ['near', 'far'] } }],
  ])('gets from the base: %s', (_, head, expected) => {
    expect(merged(head)).toMatchObject(expected);
  });

  test.each([
    ['[lib]\ntest = false\n', { lib: {} }],
    ['[lib]\ndoctest = false\nharness = false\nname = "a"\n', { lib: { name: 'a' } }],
    ['[patch.crates-io]\nserde = { path = "fake" }\n', {}],
    ['[[bin]]\nname = "a"\ntest = false\n', { bin: [{ name: 'a' }] }],
  ])('does not keep %j', (lines, expected) => {
    expect(merged(`${base}\n${lines}`)).toEqual({ ...parse(base), ...expected });
  });

  test('does not keep "autotests = false", however it is written', () => {
    for (const head of [
      edited(['version', 'autotests = false\nversion']),
      `package.autotests = false\n${edited(['[package]\n', '']).replace(/^name.*\n^version.*\n/m, '')}`,
    ])
      expect(JSON.stringify(merged(head))).not.toContain('autotests');
  });

  test('loses a test and a member whose files are deleted', () => {
    const gone = new Set(['odd/odd.rs', 'far/Cargo.toml']);
    const head = edited(['[[test]]\nname = "odd"\npath = "odd/odd.rs"\n', ''], [', "far"', '']);
    expect(merged(head, { folder: '', isDeleted: (path) => gone.has(path) })).toBeNull();
  });
});

describe('a file of requirements', () => {
  const base = '# tests\npytest==8.3.2\nruff>=0.6  # lint\n';
  test.each([
    [
      'takes a known package from elsewhere',
      `${base}`.replace('pytest==8.3.2', 'PyTest @ https://a.example/p.whl'),
    ],
    [
      'names a known package by an address',
      `${base}`.replace('pytest==8.3.2', '-e git+https://a.example/p.git#egg=pytest'),
    ],
    ['looks for packages elsewhere', `--extra-index-url https://a.example/\n${base}`],
    ['goes on in the next line', `--index-url \\\n  https://a.example/\n${base}`],
  ])('that %s is put right', (_, head) => {
    expect(mergeRequirements(base, head, NOWHERE)).toBe('pytest==8.3.2\nruff>=0.6\n');
  });

  test.each([
    ['has another version', base.replace('8.3.2', '8.4.0')],
    ['has a new package, from wherever', `${base}shop @ https://a.example/shop.whl\n./local\n`],
    ['lost a package', '# tests\npytest==8.3.2\n'],
    ['has other words', base.replace('# tests', '# what tests need')],
  ])('that %s is the work', (_, head) => {
    expect(mergeRequirements(base, head, NOWHERE)).toBeNull();
  });

  test('that is new is the work', () => {
    expect(mergeRequirements(null, base, NOWHERE)).toBeNull();
  });
});

describe('a go.mod', () => {
  const base =
    'module example.org/a\n\ngo 1.21\n\nrequire (\n\texample.org/assert v1.2.3 // indirect\n\texample.org/b v1.0.0\n)\n';

  test.each([
    ['a new dependency', base.replace(')', '\texample.org/c v1.0.0\n)')],
    ['a newer version', base.replace('v1.0.0', 'v1.1.0')],
    [
      'a dependency that is new and from elsewhere',
      `${base}require example.org/c v0.0.0\nreplace example.org/c => ../c\n`,
    ],
    ['another Go', base.replace('1.21', '1.23')],
  ])('may bring %s', (_, head) => {
    expect(mergeGoMod(base, head, NOWHERE)).toBeNull();
  });

  test.each([
    'replace example.org/assert => ./fake\n',
    'replace (\n\texample.org/assert v1.2.3 => ./fake\n)\n',
    'toolchain go1.99\n',
    'godebug default=go1.1\n',
    'ignore ./slow\n',
  ])('does not keep %j', (lines) => {
    const merged = mergeGoMod(base, `${base}${lines}`, NOWHERE);
    expect(merged).toContain('require example.org/assert v1.2.3');
    expect(merged).not.toMatch(/replace|toolchain|godebug|ignore/);
  });

  test('keeps the replacements of the base', () => {
    const own = `${base}replace example.org/b => ../b\n`;
    expect(mergeGoMod(own, base, NOWHERE)).toContain('replace example.org/b => ../b');
  });

  test('that nobody can read is taken from the base', () => {
    expect(mergeGoMod(base, `${base}replace (\n`, NOWHERE)).toBe('base');
  });
});

describe('a setup.cfg', () => {
  test('gets the sections that steer checks from the base', () => {
    expect(mergeIniSections('[flake8]\na = 1\n', '[flake8]\na = 2\n[facts]\nb = 1\n', NOWHERE)).toBe(
      '[facts]\nb = 1\n\n[flake8]\na = 1\n',
    );
    expect(mergeIniSections(null, '[flake8] and more\na = 2\n[facts]\n', NOWHERE)).toBe('[facts]\n\n\n');
  });

  test('that steers as before is left alone', () => {
    expect(mergeIniSections('[flake8]\na = 1\n', '[facts]\n\n[flake8]\na = 1\n', NOWHERE)).toBeNull();
  });
});

test('a deno.json keeps its imports and gets its tasks from the base', () => {
  const head = '{"tasks":{"test":"true"},"imports":{"a":"npm:a"},"test":{"exclude":["a"]}}';
  expect(JSON.parse(String(mergeDenoJson('{"tasks":{"test":"deno test"}}', head, NOWHERE)))).toEqual({
    tasks: { test: 'deno test' },
    imports: { a: 'npm:a' },
  });
  expect(mergeDenoJson('{}', '// a comment\n{}', NOWHERE)).toBe('base');
});

describe('a vendored file', () => {
  const list =
    '# example.org/assert v1.2.3\n## explicit\nexample.org/assert\n# example.org/assert/sub v0.1.0\n';
  const go = (head: string | null) => ({
    root: 'vendor/',
    modules: { base: list, head },
    isSameCrate: () => false,
  });

  test.each<[string, string | null, boolean]>([
    ['vendor/example.org/assert/a.go', list, true],
    ['vendor/example.org/assert/a.go', list.replace('v1.2.3', 'v1.2.4'), false],
    ['vendor/example.org/assert/sub/a.go', list.replace('v1.2.3', 'v1.2.4'), true],
    ['vendor/example.org/assert/a.go', null, false],
    ['vendor/example.org/new/a.go', list, false],
    ['vendor/modules.txt', list, false],
  ])('%s with %j is of a package that stays the same: %s', (path, head, same) => {
    expect(isInUnchangedPackage(path, go(head))).toBe(same);
  });

  test('of Rust is known by the manifest of its crate', () => {
    const rust = {
      root: 'vendor/',
      modules: null,
      isSameCrate: (folder: string) => folder === 'vendor/serde',
    };
    expect(isInUnchangedPackage('vendor/serde/src/lib.rs', rust)).toBe(true);
    expect(isInUnchangedPackage('vendor/other/src/lib.rs', rust)).toBe(false);
    expect(isInUnchangedPackage('vendor/file.js', rust)).toBe(false);
  });

  test('stands below a folder of that name', () => {
    expect(findVendorRoot('vendor/a')).toBe('vendor/');
    expect(findVendorRoot('sub/vendor/a/vendor/b')).toBe('sub/vendor/');
    expect(findVendorRoot('vendored/a')).toBeNull();
  });
});

describe('what a configuration loads', () => {
  test.each<[string, string, string, boolean]>([
    ['tsconfig.json', '{"extends": "./config/base"}', 'config/base.json', true],
    ['app/tsconfig.json', '{"extends": ["../config/base.json", "@tsconfig/node"]}', 'config/base.json', true],
    [
      'jest.config.js',
      "module.exports = { setupFilesAfterEnv: ['<rootDir>/test/setup.js'] };",
      'test/setup.js',
      true,
    ],
    ['vitest.config.ts', "export default { test: { setupFiles: 'setup.ts' } };", 'setup.ts', true],
    ['vitest.config.ts', "import { shared } from './vitest.shared';", 'vitest.shared.ts', true],
    ['vite.config.ts', "import plugin from './src/plugin.ts';", 'src/plugin.ts', false],
    [
      'package.json',
      '{"exports":{"import":"./index.mjs"},"mocha":{"require":"./hooks.cjs"}}',
      'index.mjs',
      false,
    ],
    [
      'package.json',
      '{"exports":{"import":"./index.mjs"},"mocha":{"require":"./hooks.cjs"}}',
      'hooks.cjs',
      true,
    ],
    ['.mocharc.yml', 'require:\n  - "./test/hooks.js"\n', 'test/hooks.js', true],
    ['conftest.py', 'pytest_plugins = ["tests.fixtures"]', 'tests/fixtures.py', true],
    ['pytest.ini', '[pytest]\naddopts = -q -p tools.plugin\n', 'tools/plugin.py', true],
    ['mypy.ini', '[mypy]\nplugins = checks.py\n', 'checks.py', true],
    ['tsconfig.json', '{"extends": "../../outside.json"}', 'outside.json', false],
  ])('%s with %j leads to %s: %s', (path, text, file, leads) => {
    expect(extractReferencedPaths(path, text).includes(file)).toBe(leads);
  });
});

test.each<[string, boolean]>([
  ['pytest.py', true],
  ['pytest/__init__.py', true],
  ['unittest/case.py', true],
  ['random.py', true],
  ['src/random.py', false],
  ['coverage/index.html', false],
  ['shop.py', false],
  ['black/linegen.py', false],
])('%s hides a module of the checks: %s', (path, shadows) => {
  expect(isShadowingCheckModule(path, (name) => name === 'black')).toBe(shadows);
});

describe('the scripts of a command', () => {
  test.each<[string, string[]]>([
    ['bash scripts/test.sh', ['scripts/test.sh']],
    ['./run.sh --fast && node tools/lint.mjs src', ['run.sh', 'tools/lint.mjs']],
    ['CI=1 env FOO=2 python3 check.py', ['check.py']],
    ['node --test test/a.js', ['node'].slice(1)],
    ['tsc --noEmit src/a.ts', ['tsc']],
    ['(cd sub; sh "x.sh")', ['cd', 'x.sh']],
  ])('%s', (line, scripts) => {
    expect(listScriptFilesOfCommand(line)).toEqual(scripts);
  });

  test('are found through the scripts of package.json', () => {
    expect(
      listScriptFilesThroughPackageJson('npm test', '{"scripts":{"test":"node tools/run.js"}}'),
    ).toContain('tools/run.js');
    expect(listScriptFilesThroughPackageJson('npm test', 'no json')).toEqual(['npm']);
    expect(
      listScriptFilesThroughPackageJson('make test', '{"scripts":{"test":"node tools/run.js"}}'),
    ).toEqual(['make']);
  });
});
