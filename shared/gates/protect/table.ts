/** How much of a changed file is put back to the base: all of it, or the parts that steer checks. */
export type Extent = 'whole' | 'package_json' | 'sections';

interface Rule {
  readonly reason: string;
  readonly extent: Extent;
  /** File names, in any folder. */
  readonly names?: RegExp;
  /** Whole paths. */
  readonly paths?: RegExp;
}

/**
 * Files that decide what a check looks at or what it counts as an error. Whoever writes a patch must not also write
 * these: the gates take them from the base commit. The first rule that matches counts.
 */
const RULES: readonly Rule[] = [
  { reason: 'gate configuration', extent: 'whole', paths: /^(assay\.yaml|\.assay\/.*)$/s },
  { reason: 'scripts and settings of the checks', extent: 'package_json', names: /^package\.json$/ },
  {
    reason: 'settings of the checks',
    extent: 'sections',
    names: /^(pyproject\.toml|setup\.cfg|Cargo\.toml)$/s,
  },
  {
    reason: 'linter or formatter configuration',
    extent: 'whole',
    names:
      /^(biome\.jsonc?|\.eslintrc(\..*)?|eslint\.config\..*|\.eslintignore|\.oxlintrc\.json|\.prettierrc(\..*)?|prettier\.config\..*|\.prettierignore|\.stylelintrc(\..*)?|stylelint\.config\..*|\.?ruff\.toml|\.flake8|\.?pylintrc(\.toml)?|\.bandit(\..*)?|\.golangci\.(ya?ml|toml|json)|\.?clippy\.toml|\.?rustfmt\.toml|\.rubocop\.ya?ml|\.editorconfig|\.semgrep(ignore|\.ya?ml)?|knip\.(jsonc?|[jt]s))$/s,
  },
  { reason: 'ignore rules, which linters follow', extent: 'whole', names: /^\.(git)?ignore$/ },
  {
    reason: 'type-checker configuration',
    extent: 'whole',
    names: /^(tsconfig(\..*)?\.json|jsconfig\.json|\.?mypy\.ini|pyrightconfig\.json|\.pyre_configuration)$/s,
  },
  {
    reason: 'test-runner configuration',
    extent: 'whole',
    names:
      /^(vitest\.(config|setup|workspace)\..*|vite\.config\..*|jest\.(config|setup)\..*|\.mocharc(\..*)?|\.taprc|ava\.config\..*|karma\.conf\..*|playwright\.config\..*|cypress\.config\..*|\.?pytest\.(ini|toml)|tox\.(ini|toml)|noxfile\.py|\.rspec|phpunit\.xml(\.dist)?)$/s,
  },
  {
    reason: 'set-up code that the test runner loads by itself',
    extent: 'whole',
    names: /^(conftest|sitecustomize|usercustomize)\.py$|\.pth$/s,
  },
  {
    reason: 'coverage configuration',
    extent: 'whole',
    names: /^(\.coveragerc|\.nycrc(\..*)?|\.c8rc(\..*)?|\.?codecov\.ya?ml)$/s,
  },
  {
    reason: 'task runner that the checks may go through',
    extent: 'whole',
    names: /^((GNU)?[Mm]akefile|\.?[Jj]ustfile|Taskfile\.ya?ml)$/s,
  },
  {
    reason: 'tool and package-manager configuration',
    extent: 'whole',
    names: /^(\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.[cm]?js|bunfig\.toml|pip\.conf)$/s,
    paths: /(^|\/)\.cargo\/config(\.toml)?$/s,
  },
  { reason: 'installed tools', extent: 'whole', paths: /(^|\/)(node_modules|\.venv)\// },
  {
    reason: 'hooks and continuous integration',
    extent: 'whole',
    names: /^(\.?lefthook\.ya?ml|\.pre-commit-config\.yaml)$/s,
    paths:
      /^(\.(github|gitlab|circleci|buildkite|husky|githooks)\/.*|\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|bitbucket-pipelines\.yml|Jenkinsfile)$/s,
  },
];

/** The rule that protects a path, or null. */
export function protection(path: string): { readonly reason: string; readonly extent: Extent } | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return RULES.find((rule) => rule.names?.test(name) || rule.paths?.test(path)) ?? null;
}
