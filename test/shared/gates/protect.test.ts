import { describe, expect, test } from 'vitest';
import { steeredByBase } from '../../../shared/gates/protect/package-json.ts';
import { sectionsByBase } from '../../../shared/gates/protect/sections.ts';
import { protection } from '../../../shared/gates/protect/table.ts';
import { allScriptsOf, scriptsOf } from '../../../shared/gates/scripts.ts';

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
  ])('is protected: %s', (path, reason) => {
    expect(protection(path)?.reason).toBe(reason);
  });

  test.each([
    'src/assay.yaml',
    'src/index.ts',
    'docs/github.md',
    'src/conftest.ts',
    'my-biome.json',
    'package-lock.json',
    'src/.assay/x',
  ])('is not every path: %s', (path) => {
    expect(protection(path)).toBeNull();
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
    expect(JSON.parse(String(steeredByBase(base, head)))).toEqual({
      name: 'a',
      scripts: { test: 'node --test' },
      dependencies: { x: '2' },
    });
  });

  test('that steers as before is left alone', () => {
    expect(steeredByBase(base, base.replace('"1"', '"2"'))).toBeNull();
  });

  test.each(['{', '[]', 'null', '"x"'])('that is no object (%s) is taken from the base', (head) => {
    expect(steeredByBase(base, head)).toBe('base');
  });

  test('that is new brings no scripts', () => {
    expect(JSON.parse(String(steeredByBase(null, base)))).toEqual({ name: 'a', dependencies: { x: '1' } });
  });
});

describe('a file of sections', () => {
  const base =
    '[project]\nname = "a"\n\n[tool.ruff]\nselect = ["ALL"]\n\n[tool.ruff.lint]\nx = 1\n\n[tool.poetry]\nv = 1\n';

  test('keeps the work and gets the sections that steer checks from the base', () => {
    const head =
      '[project]\nname = "b"\n\n[tool.ruff]\nselect = []\n\n[tool.pytest.ini_options]\naddopts = "-k nothing"\n\n[tool.poetry]\nv = 2\n';
    expect(sectionsByBase(base, head)).toBe(
      '[project]\nname = "b"\n\n[tool.poetry]\nv = 2\n\n[tool.ruff]\nselect = ["ALL"]\n\n[tool.ruff.lint]\nx = 1\n',
    );
  });

  test('that steers as before is left alone', () => {
    expect(sectionsByBase(base, base.replace('v = 1', 'v = 3').replace('"a"', '"c"'))).toBeNull();
  });

  test.each([
    'tool.ruff.select = []\n[project]\n',
    '[tool]\nruff = { select = [] }\n',
    '[project]\ndescription = """\n[tool.ruff]\n"""\n',
  ])('that spells a section in another way is taken from the base: %o', (head) => {
    expect(sectionsByBase(base, head)).toBe('base');
  });

  test('knows the sections of setup.cfg and Cargo.toml too', () => {
    expect(sectionsByBase('[flake8]\na = 1\n', '[flake8]\na = 2\n[metadata]\nb = 1\n')).toBe(
      '[metadata]\nb = 1\n\n[flake8]\na = 1\n',
    );
    expect(sectionsByBase('[lints.clippy]\nall = "deny"\n', '[package]\n')).toBe(
      '[package]\n\n[lints.clippy]\nall = "deny"\n',
    );
  });
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
    expect(scriptsOf(line)).toEqual(scripts);
  });

  test('are found through the scripts of package.json', () => {
    expect(allScriptsOf('npm test', '{"scripts":{"test":"node tools/run.js"}}')).toContain('tools/run.js');
    expect(allScriptsOf('npm test', 'no json')).toEqual(['npm']);
    expect(allScriptsOf('make test', '{"scripts":{"test":"node tools/run.js"}}')).toEqual(['make']);
  });
});
