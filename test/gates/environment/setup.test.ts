import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listCachedEnvironments } from '../../../gates/environment/environment-cache.ts';
import {
  canConfine,
  createTraversableFolder,
  getContainerUsers,
  warnAboutSkippedTests,
} from '../../support/confinement.ts';
import { gatherEvidenceOn } from '../../support/gather-evidence.ts';
import {
  createTemporaryFolder,
  createTestRepository,
  type TestRepository,
} from '../../support/git-repository.ts';

const config = (environment: string, gates = ''): string => `version: 1
environment:
${environment.replace(/^/gm, '  ')}
quality_gates:
  pii_scan: false
  dlp_scan: false
  test_integrity: false
  suppressions: false
  lint: false
  tests: true
${gates.replace(/^(?=.)/gm, '  ')}
`;
/** Makes a package of Node, and counts how often it ran. */
const install = (counter: string): string =>
  `mkdir -p node_modules/dep && echo 'module.exports = 1' > node_modules/dep/index.js && echo x >> ${counter}`;
const test1 = "require('node:test')('made', (t) => t.assert.ok(require('dep')));\n";

const gather = async (repository: TestRepository, more: Parameters<typeof gatherEvidenceOn>[2] = {}) => {
  const evidence = await gatherEvidenceOn(repository, [], more);
  return evidence.gates.find(({ name }) => name === 'tests');
};

warnAboutSkippedTests(1);

describe('environment.setup', () => {
  test('runs once for all sandboxes, and before a script of package.json', async () => {
    const counter = join(createTemporaryFolder(), 'runs');
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
      'a.test.js': test1,
      'assay.yaml': config(`setup: [${JSON.stringify(install(counter))}]`),
    });
    repository.write({ 'a.js': '' });
    expect(await gather(repository)).toMatchObject({ outcome: 'passed', detail: '1 tests ran' });
    expect(readFileSync(counter, 'utf8')).toBe('x\n');
  });

  test('that fails leaves no evidence, and says which line failed', async () => {
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
      'a.test.js': test1,
      'assay.yaml': config("setup: ['echo no network; exit 3']"),
    });
    repository.write({ 'a.js': '' });
    expect(await gather(repository)).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining('`echo no network; exit 3`: exit 3: no network'),
    });
  });

  test('is kept between runs by manifests and lock files, and runs anew for a patch that changes them', async () => {
    const counter = join(createTemporaryFolder(), 'runs');
    const environmentFolder = join(createTemporaryFolder(), 'environments');
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
      'a.test.js': test1,
      'assay.yaml': config(
        `setup: [${JSON.stringify(install(counter))}]\nkey_files: [tools.list]`,
        'flaky_detection: false',
      ),
    });
    repository.write({ 'a.js': '' });
    const runs = (): number => readFileSync(counter, 'utf8').length / 2;
    await gather(repository, { environmentFolder });
    await gather(repository, { environmentFolder });
    expect(runs()).toBe(1);
    expect(await listCachedEnvironments(environmentFolder)).toMatchObject([{ bytes: expect.any(Number) }]);
    repository.write({ 'tools.list': 'dep\n' });
    expect((await gather(repository, { environmentFolder }))?.outcome).toBe('passed');
    expect(runs()).toBe(2);
    expect(await listCachedEnvironments(environmentFolder)).toHaveLength(2);
  });

  test('is followed once by lines that fill caches, which may fail', async () => {
    const counter = join(createTemporaryFolder(), 'runs');
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'test "$(cat "$HOME/.cache/tool/a")" = cached' } }),
      'assay.yaml': config(
        `setup: [${JSON.stringify(install(counter))}]\nwarm_up:\n  - exit 3\n  - ${JSON.stringify(
          `mkdir -p $HOME/.cache/tool && echo cached > $HOME/.cache/tool/a && echo y >> ${counter}`,
        )}`,
      ),
    });
    repository.write({ 'a.js': '' });
    expect((await gather(repository))?.outcome).toBe('passed');
    expect(readFileSync(counter, 'utf8')).toBe('x\ny\n');
  });

  const hasCargoHome = process.env['CARGO_HOME'] !== undefined;
  const cargoUnit = (crate: string): string =>
    `mkdir -p target/debug/.fingerprint/${crate}-0123456789abcdef && touch target/debug/.fingerprint/${crate}-0123456789abcdef/lib`;
  const createCargoProject = (...checks: string[]): TestRepository => {
    const line = `: cargo; echo "$CARGO_HOME" > "$CARGO_HOME/place"; ${cargoUnit('serde')}; ${cargoUnit('own')}; touch target/.rustc_info.json`;
    const repository = createTestRepository({
      'Cargo.toml': '[package]\nname = "own"\n',
      'package.json': JSON.stringify({ scripts: { test: checks.join(' && ') } }),
      'assay.yaml': config(`warm_up:\n  - ${JSON.stringify(line)}`),
    });
    repository.write({ 'a.js': '' });
    return repository;
  };

  test.skipIf(hasCargoHome || !canConfine)(
    'shares crates that Cargo compiled, where their sources have one path in all sandboxes, and no crate of the tree',
    async () => {
      const repository = createCargoProject(
        'test "$(cat $CARGO_HOME/place)" = "$CARGO_HOME"',
        '! touch $CARGO_HOME/x 2>/dev/null',
        'test "$(cat $HOME/.cargo/place)" = "$CARGO_HOME"',
        'test -d target/debug/.fingerprint/serde-0123456789abcdef',
        'test ! -e target/debug/.fingerprint/own-0123456789abcdef',
      );
      const environmentFolder = join(createTemporaryFolder(), 'environments');
      for (const _ of ['prepared', 'taken from the cache']) {
        const workDir = createTraversableFolder();
        const sandboxUsers = getContainerUsers('gates').slice(0, 2);
        const result = await gather(repository, { environmentFolder, workDir, sandboxUsers });
        expect(result).toMatchObject({ outcome: 'passed' });
        rmSync(workDir, { recursive: true });
      }
    },
  );

  test.skipIf(hasCargoHome)('shares no home of Cargo between sandboxes without users', async () => {
    const repository = createCargoProject('test -z "$CARGO_HOME"', 'test ! -e target');
    expect(await gather(repository)).toMatchObject({ outcome: 'passed' });
  });

  test('of a patch that changes manifests is not kept where lines fill caches, for they run its code', async () => {
    const environmentFolder = join(createTemporaryFolder(), 'environments');
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'true' } }),
      'assay.yaml': config("warm_up: ['true']\nkey_files: [tools.list]", 'flaky_detection: false'),
    });
    repository.write({ 'a.js': '' });
    await gather(repository, { environmentFolder });
    expect(await listCachedEnvironments(environmentFolder)).toHaveLength(1);
    repository.write({ 'tools.list': 'dep\n' });
    expect(await gather(repository, { environmentFolder })).toMatchObject({ outcome: 'passed' });
    expect(await listCachedEnvironments(environmentFolder)).toHaveLength(1);
  });

  test('shares nothing that was built from the sources, which build lines make in each sandbox', async () => {
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
      'a.js': 'module.exports = 1;\n',
      'a.test.js': "require('node:test')('built', (t) => t.assert.equal(require('./dist/a.js'), 1));\n",
      'assay.yaml': config(
        "setup: ['mkdir dist && cp a.js dist/', 'mkdir -p node_modules/dep']\nbuild: ['mkdir dist && cp a.js dist/']",
      ),
    });
    repository.write({ 'a.js': 'module.exports = 2;\n' });
    expect((await gather(repository))?.outcome).toBe('failed');
  });

  test('leaves packages of Python compiled where it is kept, but for modules that name the place of the preparation', async () => {
    const write = (name: string, text: string): string =>
      `python3 -c "import os, sysconfig; open(sysconfig.get_paths()['purelib'] + '/${name}.py', 'w').write(${text})"`;
    const bytecode = (name: string): string =>
      `ls "$VIRTUAL_ENV"/lib/python*/site-packages/__pycache__/${name}.*.pyc`;
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: `${bytecode('shop')} && ! ${bytecode('place')}` } }),
      'assay.yaml': config(
        `setup: ${JSON.stringify([write('shop', "'x = 1'"), write('place', "'x = ' + repr(os.getcwd())")])}`,
      ),
    });
    repository.write({ 'a.js': '' });
    const environmentFolder = join(createTemporaryFolder(), 'environments');
    expect((await gather(repository, { environmentFolder }))?.outcome).toBe('passed');
  });

  test('lets no command of the patch write into what is kept', async () => {
    const environmentFolder = join(createTemporaryFolder(), 'environments');
    mkdirSync(environmentFolder);
    const repository = createTestRepository({
      'package.json': JSON.stringify({
        scripts: { test: 'chmod -R u+w node_modules; echo "module.exports = 2" > node_modules/dep/index.js' },
      }),
      'assay.yaml': config(`setup: [${JSON.stringify(install('/dev/null'))}]`),
    });
    repository.write({ 'a.js': '' });
    await gather(repository, { environmentFolder });
    const [key = ''] = readdirSync(environmentFolder);
    const kept = join(environmentFolder, key, 'files/tree/node_modules/dep/index.js');
    expect(readFileSync(kept, 'utf8')).toBe('module.exports = 1\n');
    expect(statSync(kept).mode & 0o222).toBe(0);
    expect(existsSync(join(repository.dir, 'node_modules'))).toBe(false);
  });

  test('keeps package managers offline afterwards, where the setting says so', async () => {
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'test "$npm_config_offline" = true' } }),
      'assay.yaml': config("setup: ['true']\nnetwork: setup"),
    });
    repository.write({ 'a.js': '' });
    expect((await gather(repository))?.outcome).toBe('passed');
  });

  test.each([
    ['never', 'passed'],
    ['setup', 'could_not_run'],
  ])('is offline itself with `network: never` only, and so is the build: %s', async (network, outcome) => {
    const asked = 'test "$npm_config_offline$PIP_NO_INDEX" = true1';
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'true' } }),
      'assay.yaml': config(
        `setup: ['${asked}']\nbuild: ['${asked}']\nnetwork: ${network}`,
        'flaky_detection: false',
      ),
    });
    repository.write({ 'a.js': '' });
    expect((await gather(repository))?.outcome).toBe(outcome);
  });

  test('links of Node that lead out of the checkout are named', async () => {
    const outside = createTemporaryFolder();
    const repository = createTestRepository({
      'package.json': JSON.stringify({ scripts: { test: 'true' } }),
      'assay.yaml': config(`setup: ['mkdir node_modules && ln -s ${outside} node_modules/shared']`),
    });
    repository.write({ 'a.js': '' });
    expect(await gather(repository)).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining(`node_modules/shared is a link to ${outside}`),
    });
  });
});
