import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testsGate } from '../../../../gates/gates/tests.ts';
import { createFileCache } from '../../../../gates/pipeline/cache/file-cache.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';
import { type FileEdits, runGate } from '../../../support/patch-fixture.ts';

const testOf = (name: string): string =>
  `const test = require('node:test');\nconst { ${name} } = require('../${name}.js');\ntest('${name}', () => ${name}());\n`;
const BASE = {
  'package.json': '{"name":"two","private":true}\n',
  'one.js': 'exports.one = () => 1;\n',
  'two.js': 'exports.two = () => 2;\n',
  'test/one.test.js': testOf('one'),
  'test/two.test.js': testOf('two'),
};

test('the base result that is cached for one selection of tests is not compared with another selection', async () => {
  const context = {
    baselineCache: createFileCache(join(createTemporaryFolder(), 'memory')),
    executionEnvironment: { build: 'a', node: 'b', image: null, environment: {} },
  };
  const settings = {
    tests: true,
    test_command: 'node --test {files}',
    perturbed_environment: false,
    mutants: { enabled: false },
  };
  const judge = (edits: FileEdits) => runGate(testsGate, BASE, edits, { settings, context });
  expect(await judge({ 'one.js': 'exports.one = () => 1 + 0;\n' })).toMatchObject({ outcome: 'passed' });
  expect(await judge({ 'two.js': 'exports.two = () => 2 + 0;\n' })).toMatchObject({
    outcome: 'passed',
    findings: [],
  });
});
