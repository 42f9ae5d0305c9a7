import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_GATES } from '../../gates/gates/gate-registry.ts';
import { gatherEvidenceOn, listGateOutcomes } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';

const EXAMPLES = join(import.meta.dirname, '../../docs/examples');
const example = (path: string): string => readFileSync(join(EXAMPLES, path), 'utf8');

const config = (lines: string): string =>
  `version: 1\nquality_gates:\n  enabled: true\n${lines.replace(/^(?=.)/gm, '  ')}\n`;

/** Gates that run although nobody asked: not what is looked at here. */
const DEFAULTS = new Set(
  BUILT_IN_GATES.flatMap(({ enabledByDefault, name }) => (enabledByDefault ? [name] : [])),
);

type Files = Record<string, string | null>;
const look = async (base: Record<string, string>, patch: Files) => {
  const repository = createTestRepository(base);
  repository.write(patch);
  const evidence = await gatherEvidenceOn(repository);
  return { ...evidence, gates: evidence.gates.filter(({ name }) => !DEFAULTS.has(name)) };
};
const outcomesOf = async (base: Record<string, string>, patch: Files): Promise<string[]> =>
  listGateOutcomes(await look(base, patch));
const module_ = (run: string, declared = "name: 'own'"): string =>
  `export default { ${declared}, async run(context) { ${run} } };\n`;

describe('the documented example of', () => {
  test('a command decides by its exit code', async () => {
    const base = {
      'assay.yaml': example('custom-command/assay.yaml'),
      'tools/no-console.mjs':
        "import { readFileSync } from 'node:fs';\nconst results = readFileSync('src/a.js', 'utf8').split('\\n').flatMap((text, at) => text.includes('console.') ? [{ ruleId: 'no_console', message: { text }, locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.js' }, region: { startLine: at + 1 } } }] }] : []);\nconsole.log(JSON.stringify({ version: '2.1.0', runs: [{ results }] }));\n",
      'src/a.js': 'console.log(1);\n',
    };
    const bad = await look(base, { 'src/a.js': 'console.log(1);\nconsole.log(2); // FIXME\n' });
    expect(bad.gates.map(({ name, outcome, blocked }) => ({ name, outcome, blocked }))).toEqual([
      { name: 'no_fixme', outcome: 'failed', blocked: true },
      { name: 'no_console', outcome: 'failed', blocked: false },
    ]);
    expect(bad.gates[1]?.findings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '2 console.log(2); // FIXME',
      '1 console.log(1); (was there before the patch)',
    ]);
    expect(await outcomesOf(base, { 'src/a.js': 'console.log(1);\nlet x;\n' })).toEqual([
      'no_fixme: passed',
      'no_console: passed',
    ]);
    expect(await outcomesOf(base, { 'README.md': 'x' })).toEqual(['no_fixme: skipped', 'no_console: passed']);
  });

  test('a module sees the changes, and fails or passes them', async () => {
    const base = {
      'assay.yaml': example('custom-module/assay.yaml'),
      '.assay/gates/changelog.mjs': example('custom-module/.assay/gates/changelog.mjs'),
    };
    const bad = await look(base, { 'src/a.js': '1\n' });
    expect(bad.gates).toMatchObject([
      {
        name: 'changelog',
        outcome: 'failed',
        blocked: true,
        kind: 'executed',
        findings: [{ file: 'CHANGELOG.md', rule: 'entry_missing' }],
      },
    ]);
    expect(await outcomesOf(base, { 'src/a.js': '1\n', 'CHANGELOG.md': 'a\n' })).toEqual([
      'changelog: passed',
    ]);
    expect(await outcomesOf(base, { 'a.js': '' })).toEqual(['changelog: skipped']);
  });

  test('a package reads the patch, and could not run where it is not installed', async () => {
    const at = 'node_modules/@example/gates';
    const base = { 'assay.yaml': example('custom-package/assay.yaml'), 'src/a.js': '' };
    const installed = {
      ...base,
      [`${at}/package.json`]: example('custom-package/package/package.json'),
      [`${at}/gates/licence-header.mjs`]: example('custom-package/package/gates/licence-header.mjs'),
    };
    const bad = await look(installed, { 'src/b.js': '1\n' });
    expect(bad.gates[0]).toMatchObject({ outcome: 'failed', findings: [{ file: 'src/b.js', line: 1 }] });
    expect(await outcomesOf(installed, { 'src/b.js': '// SPDX-License-Identifier: MIT\n' })).toEqual([
      'licence_header: passed',
    ]);
    const missing = await look(base, { 'src/b.js': '' });
    expect(missing.gates[0]).toMatchObject({
      outcome: 'could_not_run',
      required: true,
      detail: 'package @example/gates: the package @example/gates is not installed in the base commit',
    });
  });
});

describe('a module', () => {
  const own = (run: string) => ({ 'assay.yaml': config(''), '.assay/gates/own.mjs': module_(run) });

  test.each([
    ['that throws', 'throw new Error("boom")', 'infra_failed', 'boom'],
    ['that ends the process with 0', 'process.exit(0)', 'infra_failed', 'no answer'],
    ['that answers something else', 'return { outcome: "fine" }', 'infra_failed', 'cannot be used'],
    ['that says it was bypassed', 'return { outcome: "bypassed" }', 'infra_failed', 'cannot be used'],
    [
      'that prints an answer',
      'console.log("\\n" + JSON.stringify({ outcome: "passed" })); return { outcome: "failed", detail: "no" }',
      'failed',
      'no',
    ],
    [
      'that prints without end',
      'process.stdout.write("x".repeat(5_000_000)); return { outcome: "passed" }',
      'passed',
      '',
    ],
  ])('%s has an outcome of its own', async (_, run, outcome, detail) => {
    const [gate] = (await look(own(run), { 'a.js': '' })).gates;
    expect(gate?.outcome).toBe(outcome);
    expect(gate?.detail).toContain(detail);
  });

  test('that takes too long is stopped', async () => {
    const declared = "name: 'own', required: false, timeout_s: 1";
    const base = {
      'assay.yaml': config(''),
      '.assay/gates/own.mjs': module_('await new Promise(() => setInterval(() => {}, 1e6))', declared),
    };
    const [gate] = (await look(base, { 'a.js': '' })).gates;
    expect(gate).toMatchObject({ outcome: 'timed_out', required: false });
  });

  test('is the one of the base, whatever the patch makes of it', async () => {
    const base = own('return { outcome: "failed" }');
    expect(
      await outcomesOf(base, {
        '.assay/gates/own.mjs': module_('return { outcome: "passed" }'),
        '.assay/gates/other.mjs': module_('return { outcome: "passed" }', "name: 'other'"),
      }),
    ).toEqual(['own: failed']);
  });

  test.each([
    ['a file of the project', "import { rule } from '../../src/rule.mjs';", 'src/rule.mjs'],
    ['a package of the project', "import { rule } from 'rules';", 'node_modules/rules/index.mjs'],
    ['a file that a link leads to', "import { rule } from '../../linked.mjs';", 'src/rule.mjs'],
    ['a file that it loads later', "const { rule } = await import('../../src/rule.mjs');", 'src/rule.mjs'],
  ])('imports %s as the base has it', async (_, line, path) => {
    const repository = createTestRepository({
      'assay.yaml': config(''),
      '.assay/gates/own.mjs': `${line}\n${module_('return rule(context);')}`,
      [path]: "export const rule = () => ({ outcome: 'failed', detail: 'as the base says' });\n",
      'node_modules/rules/package.json': '{ "name": "rules", "type": "module", "exports": "./index.mjs" }',
      'a.js': 'base\n',
    });
    symlinkSync('src/rule.mjs', join(repository.dir, 'linked.mjs'));
    repository.commit({});
    repository.write({ [path]: "export const rule = () => ({ outcome: 'passed' });\n", 'a.js': 'patch\n' });
    const [gate] = (await gatherEvidenceOn(repository)).gates.filter(({ name }) => name === 'own');
    expect(gate).toMatchObject({ outcome: 'failed', detail: 'as the base says' });
  });

  test('reads both sides, and works in the patched tree', async () => {
    const reads = (root: string) => `readFileSync(${root} + 'a.js', 'utf8').trim()`;
    const run = `return { outcome: 'failed', detail: [${reads("context.root + '/'")}, ${reads("context.baseRoot + '/'")}, ${reads("''")}].join() };`;
    const base = {
      'assay.yaml': config(''),
      '.assay/gates/own.mjs': `import { readFileSync, symlinkSync } from 'node:fs';\n${module_(run)}`,
      'a.js': 'base\n',
    };
    expect((await look(base, { 'a.js': 'patch\n' })).gates[0]?.detail).toBe('patch,base,patch');
  });

  test('that cannot be loaded could not run and still there', async () => {
    const base = { 'assay.yaml': config(''), '.assay/gates/own.mjs': "import 'no-such-package';\n" };
    const [gate] = (await look(base, { 'a.js': '' })).gates;
    expect(gate).toMatchObject({ name: 'own', outcome: 'could_not_run', required: true });
    expect(gate?.detail).toContain('.assay/gates/own.mjs: ');
    expect(gate?.detail).toContain('no-such-package');
  });

  test('does not run beside a pipeline that leaves it out, and runs where the pipeline has it', async () => {
    const module = { '.assay/gates/own.mjs': module_('return { outcome: "passed" }') };
    const pipeline = (name: string) =>
      config(`test_command: "true"\npipeline:\n  - { name: ${name}, required: false }`);
    expect(await outcomesOf({ ...module, 'assay.yaml': pipeline('tests') }, { 'a.js': '' })).toEqual([
      'tests: passed',
    ]);
    expect(await outcomesOf({ ...module, 'assay.yaml': pipeline('own') }, { 'a.js': '' })).toEqual([
      'own: passed',
    ]);
  });
});

describe('names that cannot be used are refused:', () => {
  const command = (name: string): string => `custom_gates:\n  - { name: ${name}, command: "true" }`;
  const modules = (name: string) => ({
    [`.assay/gates/${name}.mjs`]: module_('return {}', `name: '${name}'`),
  });
  test.each<[string, Record<string, string>, string]>([
    [
      'that of a built-in gate',
      { 'assay.yaml': config(command('lint')) },
      'assay.yaml:5: quality_gates.custom_gates[0].name custom_gates[0] "lint" has the name of the built-in gate "lint"',
    ],
    [
      'the same one twice',
      { 'assay.yaml': config(`${command('own')}\n  - { name: own, command: "false" }`) },
      'custom_gates[1] "own" has the name of custom_gates[0] "own"',
    ],
    [
      'that of a module',
      { 'assay.yaml': config(command('own')), ...modules('own') },
      'custom_gates[0] "own" has the name of .assay/gates/own.mjs',
    ],
    [
      'a module with that of a built-in gate',
      { 'assay.yaml': config(''), ...modules('tests') },
      '.assay/gates/tests.mjs has the name of the built-in gate "tests"',
    ],
    [
      'a module that declares another',
      { 'assay.yaml': config(''), '.assay/gates/own.mjs': module_('return {}', "name: 'other'") },
      '.assay/gates/own.mjs:1: declares the gate "other", but stands for "own"',
    ],
    ['capital letters', { 'assay.yaml': config(command('Own')) }, 'custom_gates[0].name must be 1 to 64'],
    [
      'neither command nor package',
      { 'assay.yaml': config('custom_gates: [{ name: own }]') },
      'needs either command or package',
    ],
    [
      'a step that names no gate',
      { 'assay.yaml': config('pipeline: [{ name: own }]') },
      'pipeline[0].name is not a gate',
    ],
  ])('%s', async (_, base, message) => {
    await expect(look(base, { 'a.js': '' })).rejects.toThrow(message);
  });
});
