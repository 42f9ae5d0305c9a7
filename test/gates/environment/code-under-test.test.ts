import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../../support/gather-evidence.ts';
import {
  createTemporaryFolder,
  createTestRepository,
  type TestRepository,
} from '../../support/git-repository.ts';

const CONFIG = `version: 1
quality_gates:
  pii_scan: false
  dlp_scan: false
  test_integrity: false
  suppressions: false
  lint: false
  tests: true
  test_command: python3 -m unittest discover -s tests
`;
const FILES = {
  'pyproject.toml': '[project]\nname = "shop"\nversion = "1"\n',
  'src/shop/__init__.py': '',
  'src/shop/cart.py': 'def total(price, quantity):\n    return price * quantity\n',
  'tests/test_cart.py':
    'import unittest\nfrom shop.cart import total\n\n\nclass CartTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total(2, 3), 6)\n',
};
const BROKEN = 'def total(price, quantity):\n    return price + quantity\n';

/** Writes what `pip install -e .` writes, without a build. */
const EDITABLE = `python3 -c "import os, sysconfig; open(os.path.join(sysconfig.get_paths()['purelib'], 'shop.pth'), 'w').write(os.path.abspath('src'))"`;

/** Makes a virtual environment active that imports `shop` from a folder. */
function activateVenvWith(source: string): void {
  const venv = join(createTemporaryFolder(), 'venv');
  execFileSync('python3', ['-m', 'venv', '--without-pip', venv]);
  const python = join(venv, 'bin/python3');
  const folder = execFileSync(python, ['-c', "import sysconfig; print(sysconfig.get_paths()['purelib'])"], {
    encoding: 'utf8',
  }).trim();
  writeFileSync(join(folder, 'shop.pth'), source);
  process.env['PATH'] = `${join(venv, 'bin')}:${process.env['PATH']}`;
}

const path = process.env['PATH'];
beforeEach(() => {
  process.env['PATH'] = path;
});

const gather = async (repository: TestRepository) => {
  const evidence = await gatherEvidenceOn(repository);
  return {
    tests: evidence.gates.find(({ name }) => name === 'tests'),
    verdict: deriveVerdictFromEvidence(evidence),
  };
};

describe('an editable installation that leads to another folder', () => {
  test('never excuses a broken test as broken before', async () => {
    const repository = createTestRepository({ ...FILES, 'assay.yaml': CONFIG });
    repository.write({ 'src/shop/cart.py': BROKEN });
    // The base would be tested with the code of the patch.
    activateVenvWith(join(repository.dir, 'src'));
    const { tests, verdict } = await gather(repository);
    expect(tests?.outcome).toBe('failed');
    expect(verdict.verdict).toBe('fail');
  });

  test('makes the run say nothing where other code is tested, and names its place', async () => {
    const repository = createTestRepository({ ...FILES, 'assay.yaml': CONFIG });
    repository.write({ 'src/shop/cart.py': BROKEN });
    const copy = createTemporaryFolder();
    mkdirSync(join(copy, 'shop'));
    writeFileSync(join(copy, 'shop/__init__.py'), '');
    writeFileSync(join(copy, 'shop/cart.py'), FILES['src/shop/cart.py']);
    activateVenvWith(copy);
    const { tests, verdict } = await gather(repository);
    expect(tests?.outcome).toBe('could_not_run');
    expect(tests?.detail).toContain(`shop.cart was loaded from ${join(copy, 'shop/cart.py')}`);
    expect(verdict.verdict).toBe('refer');
  });

  test('is no reason for doubt where its code is that of the checkout', async () => {
    const repository = createTestRepository({ ...FILES, 'assay.yaml': CONFIG });
    repository.write({ 'src/shop/cart.py': `${FILES['src/shop/cart.py']}\n\nRATE = 1\n` });
    const copy = createTemporaryFolder();
    mkdirSync(join(copy, 'shop'));
    writeFileSync(join(copy, 'shop/__init__.py'), '');
    writeFileSync(join(copy, 'shop/cart.py'), `${FILES['src/shop/cart.py']}\n\nRATE = 1\n`);
    activateVenvWith(copy);
    expect((await gather(repository)).tests?.outcome).toBe('passed');
  });
});

test('mutation testing may load changed copies of the code', async () => {
  const mutate = [
    'cp -r src mutants',
    'echo "# changed" >> mutants/shop/cart.py',
    'PYTHONPATH=$PYTHONPATH:mutants python3 -c "import shop.cart"',
    'echo "mutation score: 100 %"',
  ];
  const command = `  mutation_testing: true\n  mutation_command: ${JSON.stringify(mutate.join(' && '))}\n`;
  const repository = createTestRepository({ ...FILES, 'assay.yaml': CONFIG + command });
  repository.write({ 'src/shop/cart.py': BROKEN });
  const { gates } = await gatherEvidenceOn(repository);
  expect(gates.find(({ name }) => name === 'mutation_testing')).toMatchObject({
    outcome: 'passed',
    facts: { score: 1 },
  });
});

describe('an editable installation in environment.setup', () => {
  const config = `${CONFIG}environment:\n  setup:\n    - ${JSON.stringify(EDITABLE)}\n`;

  test('leads to the sandbox that the tests run in', async () => {
    const repository = createTestRepository({ ...FILES, 'assay.yaml': config });
    repository.write({ 'src/shop/cart.py': BROKEN });
    const { tests, verdict } = await gather(repository);
    expect(tests).toMatchObject({ outcome: 'failed' });
    expect(verdict.verdict).toBe('fail');
  });

  test('lets a patch pass whose tests pass', async () => {
    const repository = createTestRepository({ ...FILES, 'assay.yaml': config });
    repository.write({ 'src/shop/cart.py': `${FILES['src/shop/cart.py']}\n\nRATE = 1\n` });
    expect((await gather(repository)).tests).toMatchObject({ outcome: 'passed' });
  });
});

describe('an installed copy of a package of the workspace', () => {
  const WORKSPACE = {
    'package.json': '{"name":"root","private":true}\n',
    'packages/core/package.json': '{"name":"@shop/core","version":"2.0.0"}\n',
    'packages/core/index.js': 'module.exports = (a, b) => a + b;\n',
    'packages/app/package.json': '{"name":"@shop/app"}\n',
  };
  const TESTS: Readonly<Record<string, string>> = {
    require: "const add = require('@shop/core');",
    import: "import add from '@shop/core';",
  };
  const judge = async (kind: string, setup: string, more = '') => {
    const repository = createTestRepository({
      ...WORKSPACE,
      [`packages/app/add.test.${kind === 'import' ? 'mjs' : 'cjs'}`]: `${TESTS[kind]}
${kind === 'import' ? "import test from 'node:test';" : "const test = require('node:test');"}
test('adds', () => { if (add(1, 2) !== 3) throw new Error('wrong'); });
${more}`,
      'assay.yaml': `version: 1
environment:
  setup: ["${setup}"]
quality_gates:
  lint: false
  tests: true
  test_command: node --test
`,
    });
    repository.write({ 'packages/core/index.js': 'module.exports = (a, b) => a - b;\n' });
    return gather(repository);
  };
  const COPY = 'mkdir -p node_modules/@shop && cp -r packages/core node_modules/@shop/core';
  const LINK = 'mkdir -p node_modules/@shop && ln -s ../../packages/core node_modules/@shop/core';

  test.each(['require', 'import'])('makes the run say nothing where %s loads it', async (kind) => {
    const { tests, verdict } = await judge(kind, COPY);
    expect(tests?.outcome).toBe('could_not_run');
    expect(tests?.detail).toContain(
      'the package @shop/core was loaded from node_modules/@shop/core, not from packages/core',
    );
    expect(verdict.verdict).toBe('refer');
  });

  test.each(['require', 'import'])('is none where the package manager links it: %s', async (kind) => {
    expect((await judge(kind, LINK)).tests?.outcome).toBe('failed');
  });

  test('may be loaded beside the code of the checkout', async () => {
    const { tests } = await judge('require', COPY, "require('../core/index.js');\n");
    expect(tests?.detail).not.toContain('was loaded from');
  });
});
