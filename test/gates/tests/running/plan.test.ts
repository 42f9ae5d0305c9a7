import { describe, expect, test } from 'vitest';
import type { Gate } from '../../../../gates/core/gate.ts';
import type { ProjectFiles } from '../../../../gates/core/project-files.ts';
import { agentTestMutationGate } from '../../../../gates/gates/agent-test-mutation.ts';
import { benchmarkGate } from '../../../../gates/gates/benchmark.ts';
import { complexityCheckGate } from '../../../../gates/gates/complexity-check.ts';
import { coverageDeltaGate } from '../../../../gates/gates/coverage-delta.ts';
import { depAuditGate } from '../../../../gates/gates/dep-audit.ts';
import { lintGate } from '../../../../gates/gates/lint.ts';
import { mutationTestingGate } from '../../../../gates/gates/mutation-testing.ts';
import { testsGate } from '../../../../gates/gates/tests.ts';
import { typeCheckGate } from '../../../../gates/gates/type-check.ts';
import { planGateCommands } from '../../../../gates/pipeline/cache-key.ts';

const PYTHON = { 'pyproject.toml': '' };
const VITEST = { 'package.json': '{"devDependencies": {"vitest": "5.0.0"}}' };

const CASES: readonly [string, Gate, Readonly<Record<string, string>>, object, string | null][] = [
  ['ruff for Python', lintGate, PYTHON, {}, 'ruff'],
  ['biome where it is configured', lintGate, { 'package.json': '{}', 'biome.json': '{}' }, {}, 'biome'],
  ['eslint where nothing is', lintGate, { 'package.json': '{}' }, {}, 'eslint'],
  ['the script before any tool', lintGate, { 'package.json': '{"scripts": {"lint": "x"}}' }, {}, 'npm'],
  ['the command before the script', testsGate, VITEST, { test_command: 'make test' }, 'make'],
  ['vitest where package.json names it', testsGate, VITEST, {}, 'vitest'],
  ['pyright where it is configured', typeCheckGate, { 'pyproject.toml': '[tool.pyright]\n' }, {}, 'pyright'],
  ['mypy where nothing is', typeCheckGate, PYTHON, {}, 'mypy'],
  [
    'the tool that the profile names',
    typeCheckGate,
    PYTHON,
    { profiles: { python: { type_check: 'pyright' } } },
    'pyright',
  ],
  ['nothing where the profile says none', lintGate, PYTHON, { profiles: { python: { lint: 'none' } } }, null],
  ['nothing where there is no language', lintGate, { 'README.md': '' }, {}, null],
  ['cargo for Rust', testsGate, { 'Cargo.toml': '' }, {}, 'cargo'],
  ['npm for its lock', depAuditGate, { 'package-lock.json': '{}' }, {}, 'npm'],
  ['the coverage of Go', coverageDeltaGate, { 'go.mod': '' }, {}, 'go'],
  ['the coverage of pytest', coverageDeltaGate, PYTHON, {}, 'pytest'],
  ['the benchmarks of vitest', benchmarkGate, VITEST, {}, 'vitest'],
  ['no benchmarks of Go', benchmarkGate, { 'go.mod': '' }, {}, null],
  ['mutmut for Python', mutationTestingGate, { ...PYTHON, 'a.py': '' }, {}, 'mutmut'],
  ['Stryker for JavaScript', agentTestMutationGate, { ...VITEST, 'a.js': '' }, {}, 'stryker'],
  ['the command for mutation', mutationTestingGate, PYTHON, { mutation_command: 'make mutants' }, 'make'],
  ['no mutation where there is no language', mutationTestingGate, { 'README.md': '' }, {}, null],
  ['radon for Python', complexityCheckGate, PYTHON, {}, 'radon'],
  ['lizard for the rest', complexityCheckGate, { 'a.go': '' }, {}, 'lizard'],
];

/** A folder of which everything was changed. */
const projectOf = (files: Readonly<Record<string, string>>): ProjectFiles => {
  const paths = new Set(Object.keys(files));
  return {
    changedPaths: [...paths],
    revisionPaths: async () => ({ base: paths, tree: paths }),
    baseFile: async (path) => files[path] ?? null,
  };
};

describe('the plan of a gate', () => {
  test.each(CASES)('is %s', async (_, gate, files, settings, program) => {
    const plan = await planGateCommands(gate, projectOf(files), { ...settings }, true);
    const [planned] = plan === 'ours' ? [] : plan;
    expect(planned?.command.split(' ')[0] ?? null).toBe(program);
  });
});
