import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gatherEvidence } from '../../../gates/pipeline/gather-evidence.ts';
import { gatherEvidenceOn } from '../../support/gather-evidence.ts';
import {
  createTemporaryFolder,
  createTestRepository,
  type TestRepository,
} from '../../support/git-repository.ts';
import { EVERYTHING, found, oneCommand, said } from './support.ts';

const BASE = { 'assay.yaml': EVERYTHING, 'src/a.js': 'exports.a = 1;\n' };

const bytes = (dir: string, name: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(name)]);

/**
 * A repository that has another one in it at this commit, on a branch of its own.
 * @param isNamed whether the `.gitmodules` of the base names it; only then it is a submodule.
 */
function withSubmodule(
  path: string,
  before: string | null,
  after: string | null,
  isNamed = true,
): TestRepository {
  const named = `[submodule "${path}"]\n\tpath = ${path}\n\turl = https://example.org/lib.git\n`;
  const repository = createTestRepository(isNamed ? { ...BASE, '.gitmodules': named } : BASE);
  const set = (commit: string | null, message: string): void => {
    if (commit === null) repository.git('rm', '-rq', '--cached', '--ignore-unmatch', path);
    else repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
    repository.git('commit', '--quiet', '--allow-empty', '-m', message);
  };
  set(before, 'before');
  repository.git('checkout', '--quiet', '-b', 'work');
  set(after, 'after');
  mkdirSync(join(repository.dir, path), { recursive: true });
  return repository;
}

describe('a tree is looked at, to a stated outcome,', () => {
  test('with every name that git takes', async () => {
    const repository = createTestRepository({ 'assay.yaml': EVERYTHING });
    const names = [
      'with space.js',
      'quo"te\'s.py',
      'new\nline.js',
      '\n.py',
      'tab\tand\r.ts',
      '-rf',
      '--config=x.js',
      'CON',
      'nul.txt',
      'back\\slash.js',
      'trailing space .js ',
      'dot.',
      '😀.py',
      '[a].ts',
      '{a,b}.ts',
      '*.js',
      '$(touch x).sh',
      '`id`;id&.py',
      `${'é'.repeat(120)}.js`,
      'cafe\u0301.py',
      'caf\u00e9.py',
      '%00.js',
      '\u202eevil.js',
      'migrations/0001_\n.py',
    ];
    repository.write(
      Object.fromEntries(names.map((name) => [name, name.endsWith('.py') ? 'x = 1\n' : '1;\n'])),
    );
    writeFileSync(bytes(repository.dir, [0x63, 0xe9, 0xff, 0x2e, 0x6a, 0x73]), '1;\n');
    const evidence = await gatherEvidenceOn(repository);
    expect(said(evidence)).toEqual({ verdict: 'pass', not_passed: [] });
    expect(evidence.changed_files.toSorted()).toEqual([...names, 'c\\xe9\\xff.js'].toSorted());
    // What is said of them can be written down as it is.
    expect(JSON.parse(JSON.stringify(evidence)) as unknown).toEqual(evidence);
    expect(JSON.stringify(evidence)).not.toMatch(/\\udc/i);
  });

  test('with contents that are no text, or another one than they seem to be', async () => {
    const repository = createTestRepository({
      ...BASE,
      'latin1.js': Buffer.from('var caf\xe9 = 1;\n', 'latin1'),
    });
    repository.write({
      'latin1.js': Buffer.from('var caf\xe9 = 2;\n', 'latin1'),
      'utf16.py': Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x0a]),
      'bom.ts': '\ufefflet a = 1;\n',
      'nul.js': 'let a = 1;\0\n',
      'binary.bin': Buffer.from([0, 1, 2, 255]),
      'empty.py': '',
      'no-line-break.py': 'x=1',
      'picture.psd': 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
    });
    const evidence = await gatherEvidenceOn(repository);
    expect(said(evidence).verdict).toBe('refer');
    expect(found(evidence, 'dead_code')).toEqual(
      expect.arrayContaining(['not_readable nul.js', 'not_readable utf16.py']),
    );
    expect(found(evidence, 'pii_scan')).toContain('lfs_pointer picture.psd');
  });

  test('with nothing in it that was changed', async () => {
    const evidence = await gatherEvidenceOn(createTestRepository(BASE));
    expect(evidence.empty_patch).toBe(true);
    expect(said(evidence).not_passed).toEqual([]);
  });

  const one = '1'.repeat(40);
  const two = '2'.repeat(40);
  test.each([
    ['added', 'lib', null, one, ['submodule lib']],
    ['added that is named as code', 'lib.js', null, one, ['submodule lib.js']],
    ['moved to another commit', 'lib', one, two, ['submodule lib']],
    ['removed', 'lib', one, null, []],
    ['that was there, and stays', 'lib', one, one, []],
  ])('with a submodule %s', async (_, path, before, after, findings) => {
    const repository = withSubmodule(path, before, after);
    repository.write({ 'src/a.js': 'exports.a = 2;\n' });
    const evidence = await gatherEvidenceOn(repository);
    expect(said(evidence)).toEqual({ verdict: 'pass', not_passed: [] });
    expect(found(evidence, 'pii_scan')).toEqual(findings);
  });

  test.each([
    ['added', null, one],
    ['moved to another commit', one, two],
  ])('with a repository of its own %s that is no submodule', async (_, before, after) => {
    const repository = withSubmodule('lib', before, after, false);
    repository.write({ 'src/a.js': 'exports.a = 2;\n' });
    const evidence = await gatherEvidenceOn(repository);
    expect(said(evidence)).toEqual({ verdict: 'refer', not_passed: ['complete_patch: could_not_run'] });
    expect(found(evidence, 'complete_patch')).toEqual(['not_in_patch lib']);
    expect(found(evidence, 'pii_scan')).toEqual(['submodule lib']);
  });

  test('with links in circles, out of it, and to what never ends', async () => {
    const repository = createTestRepository({ ...BASE, 'folder/x.js': '1;\n' });
    repository.write({ folder: null });
    for (const [name, target] of [
      ['loop', 'loop'],
      ['one', 'two'],
      ['two', 'one'],
      ['absolute.js', '/etc/passwd'],
      ['relative', '../../../../../../etc/passwd'],
      ['environment', '/proc/self/environ'],
      ['zero.py', '/dev/zero'],
      ['test_zero.py', '/dev/zero'],
      ['migrations', '/'],
      ['to-git', '.git/config'],
      ['up', '..'],
      ['nowhere', 'x'.repeat(3_000)],
      ['folder', '/tmp'],
    ] as const)
      symlinkSync(target, join(repository.dir, name));
    const signals = ['absolute.js', 'environment', 'up', 'to-git', 'folder/.'].map((path) => ({
      type: 'path_exists',
      path,
    }));
    const evidence = await gatherEvidenceOn(repository, signals);
    expect(evidence.signals.map(({ outcome }) => outcome)).toEqual(signals.map(() => 'failed'));
    // Links that lead out of the tree stop the patch.
    expect(said(evidence)).toEqual({ verdict: 'fail', not_passed: ['suppressions: failed'] });
    expect(new Set(found(evidence, 'suppressions'))).toEqual(
      new Set([
        ...'absolute.js environment folder migrations relative test_zero.py to-git up zero.py'
          .split(' ')
          .map((path) => `link_leads_out ${path}`),
        ...'absolute.js zero.py test_zero.py'.split(' ').map((path) => `not_readable ${path}`),
      ]),
    );
    expect(JSON.stringify(evidence)).not.toContain('root:x:0');
  });

  test('with folders in folders, as deep as the file system allows', async () => {
    const repository = createTestRepository({
      'assay.yaml': oneCommand('test -f "$(git ls-files -o -c | grep a.js)"'),
    });
    repository.write({ [`${'d/'.repeat(900)}a.js`]: '1;\n' });
    expect(said(await gatherEvidenceOn(repository))).toEqual({ verdict: 'pass', not_passed: [] });
  });
});

/** A tree that no ordinary git would write: with a folder of this name. */
function oddTree(repository: TestRepository, name: string): string {
  const entries = [
    `100644 blob ${repository.git('rev-parse', 'HEAD:assay.yaml')}\tassay.yaml`,
    `040000 tree ${repository.git('rev-parse', 'HEAD^{tree}')}\t${name}`,
  ];
  return execFileSync('git', ['mktree', '-z'], {
    cwd: repository.dir,
    input: entries.map((entry) => `${entry}\0`).join(''),
    encoding: 'utf8',
  }).trim();
}

test.each(['.git', '.GIT', 'git~1', '.git ', '..', '.', '.gi\u200ct'])(
  'a folder that is called %j is not let into a checkout',
  async (name) => {
    const repository = createTestRepository({ 'assay.yaml': oneCommand('true') });
    const gathering = gatherEvidence({
      store: { dir: join(repository.dir, '.git'), format: 'sha1' },
      base: repository.git('rev-parse', 'HEAD'),
      tree: oddTree(repository, name),
      signals: [],
      workDir: createTemporaryFolder(),
    });
    const evidence = await gathering;
    expect(said(evidence)).toEqual({ verdict: 'refer', not_passed: ['lint: infra_failed'] });
    expect(evidence.gates[0]?.detail).toContain(
      `a file that cannot be checked out: ${JSON.stringify(`${name}/assay.yaml`)}`,
    );
  },
);
