import { autoFormatGate } from '../../../gates/gates/auto-format.ts';
import { benchmarkGate } from '../../../gates/gates/benchmark.ts';
import { commentQualityGate } from '../../../gates/gates/comment-quality.ts';
import { coverageDeltaGate } from '../../../gates/gates/coverage-delta.ts';
import { deadCodeGate } from '../../../gates/gates/dead-code.ts';
import { lintGate } from '../../../gates/gates/lint.ts';
import { mutationTestingGate } from '../../../gates/gates/mutation-testing.ts';
import { securityScanGate } from '../../../gates/gates/security-scan.ts';
import { testsGate } from '../../../gates/gates/tests.ts';
import { typeCheckGate } from '../../../gates/gates/type-check.ts';
import { type RealCase, realTools } from './cases.ts';

const ODD = 'a dir/ü (1) x';
const MODULE = { 'package.json': '{"type": "module"}' };
const ESLINT = { ...MODULE, 'eslint.config.js': 'export default [{ rules: { "no-debugger": "error" } }];\n' };
const BIOME = { ...MODULE, 'biome.json': '{}' };
const TSC = { ...MODULE, 'tsconfig.json': '{"compilerOptions": {"strict": true, "types": []}}' };

const LINT: readonly RealCase[] = [
  {
    what: 'eslint passes a clean patch',
    gate: lintGate,
    needs: 'js:eslint',
    base: ESLINT,
    edits: { [`${ODD}.js`]: 'export const X = 1;\n' },
    outcome: 'passed',
    findings: [],
    facts: { tool: 'eslint', exit_code: 0 },
  },
  {
    what: 'eslint tells a new complaint from an old one, in files with odd names',
    gate: lintGate,
    needs: 'js:eslint',
    base: { ...ESLINT, 'a.js': 'debugger;\n' },
    edits: { 'a.js': 'debugger;\n1;\n', [`${ODD}.js`]: '1;\ndebugger;\n' },
    outcome: 'failed',
    findings: [`${ODD}.js:2 no-debugger`, 'a.js:1 no-debugger (before)'],
    facts: { exit_code: 1 },
  },
  {
    what: 'eslint is not silenced by code that it cannot read',
    gate: lintGate,
    needs: 'js:eslint',
    base: { ...ESLINT, 'a.js': 'f(\n  1,\n);\n' },
    edits: { 'a.js': 'f(\n  1,\n' },
    outcome: 'failed',
    findings: ['a.js:3 syntax'],
  },
  {
    what: 'eslint leaves alone what its configuration ignores, also where the patch writes it',
    gate: lintGate,
    needs: 'js:eslint',
    base: {
      ...MODULE,
      'eslint.config.js':
        'export default [{ ignores: ["made/**"] }, { rules: { "no-debugger": "error" } }];\n',
    },
    edits: { 'made/a.js': 'debugger;\n' },
    outcome: 'passed',
    findings: [],
    facts: { files_given: 1 },
  },
  {
    what: 'eslint without a configuration says nothing about the patch',
    gate: lintGate,
    needs: 'js:eslint',
    base: MODULE,
    edits: { 'a.js': 'debugger;\n' },
    outcome: 'could_not_run',
    detail: /^eslint breaks on the base too.*exit 2/s,
  },
  {
    what: 'eslint runs in the folder that has the manifest',
    gate: lintGate,
    needs: 'js:eslint',
    base: Object.fromEntries(Object.entries(ESLINT).map(([path, text]) => [`web/${path}`, text])),
    edits: { 'web/src/a.js': 'debugger;\n', 'b.md': '' },
    outcome: 'failed',
    findings: ['web/src/a.js:1 no-debugger'],
    facts: { folder: 'web' },
  },
  {
    what: 'biome passes a patch with a warning, as biome does',
    gate: lintGate,
    needs: 'own:biome',
    base: BIOME,
    edits: { [`${ODD}.js`]: 'const unused = 1;\n' },
    outcome: 'passed',
    findings: [],
    facts: { tool: 'biome', exit_code: 0 },
  },
  {
    what: 'biome tells a new complaint from an old one, in files with odd names',
    gate: lintGate,
    needs: 'own:biome',
    base: { ...BIOME, 'a.js': 'debugger;\n' },
    edits: { 'a.js': 'debugger;\n1;\n', [`${ODD}.js`]: '1;\ndebugger;\n' },
    outcome: 'failed',
    findings: [`${ODD}.js:2 lint/suspicious/noDebugger`, 'a.js:1 lint/suspicious/noDebugger (before)'],
    facts: { exit_code: 1 },
  },
  {
    what: 'biome with a broken configuration in the base says nothing about the patch',
    gate: lintGate,
    needs: 'own:biome',
    base: { ...MODULE, 'biome.json': '{"linter":' },
    edits: { 'a.js': 'debugger;\n' },
    outcome: 'could_not_run',
    detail: /^biome breaks on the base too/,
  },
];

const TYPES: readonly RealCase[] = [
  {
    what: 'tsc passes a clean patch',
    gate: typeCheckGate,
    needs: 'own:tsc',
    base: TSC,
    edits: { [`${ODD}.ts`]: 'export const x: number = 1;\n' },
    outcome: 'passed',
    findings: [],
    facts: { tool: 'tsc', exit_code: 0 },
  },
  {
    what: 'tsc tells a new complaint from an old one, in files with odd names',
    gate: typeCheckGate,
    needs: 'own:tsc',
    base: { ...TSC, 'a.ts': 'export const a: number = "";\n' },
    edits: { [`${ODD}.ts`]: '\nexport const b: number = "";\n' },
    outcome: 'failed',
    findings: [`${ODD}.ts:2 TS2322`, 'a.ts:1 TS2322 (before)'],
    facts: { exit_code: 1 },
  },
  {
    what: 'tsc looks into the projects that the configuration refers to',
    gate: typeCheckGate,
    needs: 'own:tsc',
    base: {
      ...MODULE,
      'tsconfig.json': '{"files": [], "references": [{"path": "./lib"}]}',
      'lib/tsconfig.json': '{"compilerOptions": {"composite": true, "types": []}}',
    },
    edits: { 'lib/a.ts': 'export const a: number = "";\n' },
    outcome: 'failed',
    findings: ['lib/a.ts:1 TS2322'],
  },
  {
    what: 'tsc that stops at the syntax of the base has not looked at the patch',
    gate: typeCheckGate,
    needs: 'own:tsc',
    base: { ...TSC, 'a.ts': 'export const a = (;\n' },
    edits: { 'b.ts': 'export const b: number = "";\n' },
    outcome: 'could_not_run',
    findings: ['a.ts:1 TS1109'],
  },
  {
    what: 'tsc with a broken configuration in the base says nothing about the patch',
    gate: typeCheckGate,
    needs: 'own:tsc',
    base: { ...MODULE, 'tsconfig.json': '{"compilerOptions": {"strict": tru' },
    edits: { 'b.ts': 'export const b = 1;\n' },
    outcome: 'could_not_run',
    detail: /^tsc breaks on the base too.*exit [12]/s,
  },
];

const TEST = (expected: number): string =>
  `import { expect, test } from 'vitest';\nimport { x } from './a.js';\ntest('x', () => { expect(x()).toBe(${expected}); });\n`;
const VITEST = {
  'package.json': '{"type": "module", "devDependencies": {"vitest": "5"}}',
  'a.js': 'export const x = () => 1;\n',
};
const JEST = { 'package.json': '{"devDependencies": {"jest": "30"}}', 'a.js': 'exports.x = 1;\n' };

const TESTS: readonly RealCase[] = [
  {
    what: 'vitest names the failed test, in a file with an odd name',
    gate: testsGate,
    needs: 'own:vitest',
    base: { ...VITEST, [`${ODD}.test.js`]: TEST(1).replace('./a.js', '../a.js') },
    edits: { 'a.js': 'export const x = () => 2;\n' },
    outcome: 'failed',
    findings: [`${ODD}.test.js:null test_failed`],
    facts: { tool: 'vitest', exit_code: 1 },
  },
  {
    what: 'vitest passes a clean patch',
    gate: testsGate,
    needs: 'own:vitest',
    base: { ...VITEST, 'a.test.js': TEST(1) },
    edits: { 'b.js': 'export const y = 1;\n' },
    outcome: 'passed',
    findings: [],
    detail: /^1 tests ran/,
  },
  {
    what: 'jest tells a new failure from an old one',
    gate: testsGate,
    needs: 'js:jest',
    base: {
      ...JEST,
      'a.test.js':
        "test('old', () => expect(1).toBe(2));\ntest('x', () => expect(require('./a').x).toBe(1));\n",
    },
    edits: { 'a.js': 'exports.x = 2;\n' },
    outcome: 'failed',
    findings: ['a.test.js:null test_failed', 'a.test.js:null test_failed (before)'],
    facts: { tool: 'jest', exit_code: 1 },
  },
  {
    what: 'the script of a package below the top is run in its folder',
    gate: testsGate,
    needs: 'npm',
    base: {
      'web/package.json': '{"scripts": {"test": "node --test"}}',
      'web/a.js': 'exports.x = 1;\n',
      'web/a.test.js': "require('node:test')('x', (t) => t.assert.equal(require('./a.js').x, 1));\n",
    },
    edits: { 'web/a.js': 'exports.x = 2;\n' },
    outcome: 'failed',
    facts: { tool: 'npm', folder: 'web' },
  },
];

const RULES =
  'rules:\n  - {id: no-eval, languages: [javascript], severity: WARNING, message: eval, pattern: eval(...)}\n';

const SECURITY: readonly RealCase[] = [
  {
    what: 'semgrep is silenced neither by a comment nor by broken code, and tells a new hole from an old one',
    gate: securityScanGate,
    needs: 'semgrep',
    base: { ...MODULE, '.semgrep.yml': RULES, 'a.js': 'eval(x);\n', 'b.js': '1;\n' },
    edits: { [`${ODD}.js`]: '1;\neval(x); // nosemgrep\n', 'b.js': '1;\neval(x\n' },
    outcome: 'failed',
    findings: [`${ODD}.js:2 no-eval`, 'b.js:1 not_scanned', 'a.js:1 no-eval (before)'],
    facts: { tool: 'semgrep' },
  },
];

const STRYKER = {
  'package.json': '{"type": "module", "scripts": {"test": "node --test"}}',
  'a.js': 'export const add = (a, b) => a + b;\n',
};
const STRYKER_TEST = (a: number): string =>
  `import test from 'node:test';\nimport { add } from './a.js';\ntest('add', (t) => t.assert.equal(add(${a}, 0), ${a}));\n`;

const MEASURED: readonly RealCase[] = [
  {
    what: 'Stryker names the changes that no test notices',
    gate: mutationTestingGate,
    needs: 'js:stryker',
    base: { ...STRYKER, 'a.test.js': STRYKER_TEST(1) },
    edits: { 'a.js': 'export const add = (a, b) => {\n  return a + b;\n};\n' },
    settings: { mutation_threshold: 0.9 },
    outcome: 'failed',
    findings: ['a.js:2 mutant_survived'],
    facts: { tool: 'stryker', score: 0.5 },
  },
  {
    what: 'vitest measures that a new function has no test',
    gate: coverageDeltaGate,
    needs: 'own:vitest',
    base: { ...VITEST, 'a.test.js': TEST(1) },
    edits: { 'a.js': 'export const x = () => 1;\nexport function y() {\n  return 2;\n}\n' },
    outcome: 'failed',
    facts: { tool: 'vitest', coverage_base: 100 },
  },
  {
    what: 'vitest measures a slower function',
    gate: benchmarkGate,
    needs: 'own:vitest',
    base: {
      ...VITEST,
      'n.js': 'export const n = 100_000;\n',
      'a.bench.js':
        "import { test } from 'vitest';\nimport { n } from './n.js';\ntest('sums', async ({ bench }) => {\n  await bench('sum', () => { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); globalThis.s = s; }).run({ time: 20, warmup: false });\n});\n",
    },
    edits: { 'n.js': 'export const n = 3_000_000;\n' },
    settings: { benchmark: { enabled: true, threshold: 0.9 } },
    outcome: 'failed',
    facts: { tool: 'vitest', benchmarks: 1 },
  },
  {
    what: 'knip names an export and a file that nothing needs any more',
    gate: deadCodeGate,
    needs: 'js:knip',
    base: {
      'package.json': '{"type": "module", "main": "index.js", "devDependencies": {"knip": "6"}}',
      'index.js': "import { used } from './lib/a.js';\nused();\n",
      'lib/a.js': 'export const used = () => 1;\n',
    },
    edits: {
      'lib/a.js': 'export const used = () => 1;\nexport const unused = () => 2;\n',
      [`${ODD}.js`]: 'export const z = 1;\n',
    },
    outcome: 'failed',
    findings: [`${ODD}.js:1 knip`, 'lib/a.js:2 knip'],
  },
  {
    what: 'eslint-plugin-jsdoc names results and errors that a comment leaves out, as the project asks for them',
    gate: commentQualityGate,
    needs: 'js:eslint-plugin-jsdoc',
    base: {
      'package.json': '{"type": "module", "devDependencies": {"eslint-plugin-jsdoc": "65"}}',
      'eslint.config.js':
        "import jsdoc from 'eslint-plugin-jsdoc';\nexport default [{ plugins: { jsdoc }, rules: { 'jsdoc/require-returns': 'warn', 'jsdoc/require-throws': 'error', 'jsdoc/require-description': 'error' } }];\n",
      'a.js': '/** @param {number} a One. */\nexport const old = (a) => a;\n',
    },
    edits: {
      'a.js': '\n/** @param {number} a One. */\nexport const old = (a) => a;\n',
      [`${ODD}.js`]:
        '/** @param {number} a One. */\nexport function f(a) {\n  if (!a) throw new Error("no");\n  return a;\n}\n',
    },
    outcome: 'failed',
    findings: [`${ODD}.js:1 incomplete`, `${ODD}.js:1 incomplete`, 'a.js:2 incomplete (before)'],
  },
  {
    what: 'prettier says which file it would write differently, whatever its name',
    gate: autoFormatGate,
    needs: 'js:prettier',
    base: MODULE,
    edits: { [`${ODD}.js`]: 'const   a = 1\n', 'b.js': 'const b = 1;\n' },
    outcome: 'passed',
    findings: [`${ODD}.js:null not_formatted`],
  },
  {
    what: 'biome says which file it would write differently, whatever its name',
    gate: autoFormatGate,
    needs: 'own:biome',
    base: BIOME,
    edits: { [`${ODD}.js`]: 'const   a = 1\n', 'b.js': 'const b = 1;\n' },
    outcome: 'passed',
    findings: [`${ODD}.js:null not_formatted`],
  },
];

realTools('the linters of JavaScript', LINT);
realTools('the type checker of TypeScript', TYPES);
realTools('the test runners of JavaScript', TESTS);
realTools('semgrep', SECURITY);
realTools('what is measured in JavaScript', MEASURED);
