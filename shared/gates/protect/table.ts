import picomatch from 'picomatch';

/** How much of a changed file is put back to the base: all of it, or the parts that steer checks. */
export type Extent = 'whole' | 'package_json' | 'sections';

interface Rule {
  /** Globs; one without a slash is a file name in any folder. */
  readonly files: readonly string[];
  readonly reason: string;
  readonly extent: Extent;
}

const whole = (reason: string, ...files: readonly string[]): Rule => ({ reason, files, extent: 'whole' });

/**
 * Files that decide what a check looks at or what it counts as an error. Whoever writes a patch must not also write
 * these: the gates take them from the base commit. The first rule that matches counts.
 */
const RULES: readonly Rule[] = [
  whole('gate configuration', '/assay.yaml', '/.assay/**'),
  { files: ['package.json'], reason: 'scripts and settings of the checks', extent: 'package_json' },
  {
    files: ['pyproject.toml', 'setup.cfg', 'Cargo.toml'],
    reason: 'settings of the checks',
    extent: 'sections',
  },
  whole(
    'linter or formatter configuration',
    'biome.json{,c}',
    '.eslintrc{,.*}',
    'eslint.config.*',
    '.eslintignore',
    '.oxlintrc.json',
    '.prettierrc{,.*}',
    'prettier.config.*',
    '.prettierignore',
    '.stylelintrc{,.*}',
    'stylelint.config.*',
    '{,.}ruff.toml',
    '.flake8',
    '{,.}pylintrc{,.toml}',
    '.bandit{,.*}',
    '.golangci.{yml,yaml,toml,json}',
    '{,.}clippy.toml',
    '{,.}rustfmt.toml',
    '.rubocop.y{,a}ml',
    '.editorconfig',
    '.semgrep{,ignore,.yml,.yaml}',
    'knip.{json,jsonc,ts,js}',
  ),
  whole('ignore rules, which linters follow', '.gitignore', '.ignore'),
  whole(
    'type-checker configuration',
    'tsconfig{,.*}.json',
    'jsconfig.json',
    '{,.}mypy.ini',
    'pyrightconfig.json',
    '.pyre_configuration',
  ),
  whole(
    'test-runner configuration',
    'vitest.{config,setup,workspace}.*',
    'vite.config.*',
    'jest.{config,setup}.*',
    '.mocharc{,.*}',
    '.taprc',
    'ava.config.*',
    'karma.conf.*',
    'playwright.config.*',
    'cypress.config.*',
    '{,.}pytest.ini',
    'tox.ini',
    'noxfile.py',
    '.rspec',
    'phpunit.xml{,.dist}',
  ),
  whole('set-up code that the test runner loads by itself', 'conftest.py', '{site,user}customize.py'),
  whole('coverage configuration', '.coveragerc', '.nycrc{,.*}', '.c8rc{,.*}', '{,.}codecov.y{,a}ml'),
  whole(
    'task runner that the checks may go through',
    '{,GNU}{M,m}akefile',
    '{,.}{J,j}ustfile',
    'Taskfile.y{,a}ml',
  ),
  whole(
    'tool and package-manager configuration',
    '.npmrc',
    '.yarnrc{,.yml}',
    '.pnpmfile.{c,m,}js',
    'bunfig.toml',
    'pip.conf',
    '**/.cargo/config{,.toml}',
  ),
  whole('installed tools', '**/node_modules/**', '**/.venv/**'),
  whole(
    'hooks and continuous integration',
    '/.github/**',
    '/.gitlab-ci.yml',
    '/.gitlab/**',
    '/.circleci/**',
    '/.buildkite/**',
    '/.travis.yml',
    '/azure-pipelines.yml',
    '/bitbucket-pipelines.yml',
    '/Jenkinsfile',
    '/.husky/**',
    '/.githooks/**',
    '{,.}lefthook.y{,a}ml',
    '.pre-commit-config.yaml',
  ),
];

const compiled = RULES.map((rule) => ({
  ...rule,
  matches: picomatch(
    rule.files.map((glob) =>
      glob.startsWith('/') ? glob.slice(1) : glob.includes('/') ? glob : `**/${glob}`,
    ),
    { dot: true, noextglob: true },
  ),
}));

/** The rule that protects a path, or null. */
export function protection(path: string): { readonly reason: string; readonly extent: Extent } | null {
  return compiled.find((rule) => rule.matches(path)) ?? null;
}
