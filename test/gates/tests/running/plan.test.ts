import { describe, expect, test } from 'vitest';
import type { Gate } from '../../../../gates/core/gate.ts';
import type { ProjectFiles } from '../../../../gates/core/project-files.ts';
import { agentTestMutation } from '../../../../gates/gates/agent-test-mutation.ts';
import { benchmark } from '../../../../gates/gates/benchmark.ts';
import { complexityCheck } from '../../../../gates/gates/complexity-check.ts';
import { coverageDelta } from '../../../../gates/gates/coverage-delta.ts';
import { depAudit } from '../../../../gates/gates/dep-audit.ts';
import { lint } from '../../../../gates/gates/lint.ts';
import { mutationTesting } from '../../../../gates/gates/mutation-testing.ts';
import { tests } from '../../../../gates/gates/tests.ts';
import { typeCheck } from '../../../../gates/gates/type-check.ts';
import { planOf } from '../../../../gates/pipeline/plan.ts';

const PYTHON = { 'pyproject.toml': '' };
const VITEST = { 'package.json': '{"devDependencies": {"vitest": "5.0.0"}}' };

const CASES: readonly [string, Gate, Readonly<Record<string, string>>, object, string | null][] = [
  ['ruff for Python', lint, PYTHON, {}, 'ruff'],
  ['biome where it is configured', lint, { 'package.json': '{}', 'biome.json': '{}' }, {}, 'biome'],
  ['eslint where nothing is', lint, { 'package.json': '{}' }, {}, 'eslint'],
  ['the script before any tool', lint, { 'package.json': '{"scripts": {"lint": "x"}}' }, {}, 'npm'],
  ['the command before the script', tests, VITEST, { test_command: 'make test' }, 'make'],
  ['vitest where package.json names it', tests, VITEST, {}, 'vitest'],
  ['pyright where it is configured', typeCheck, { 'pyproject.toml': '[tool.pyright]\n' }, {}, 'pyright'],
  ['mypy where nothing is', typeCheck, PYTHON, {}, 'mypy'],
  [
    'the tool that the profile names',
    typeCheck,
    PYTHON,
    { profiles: { python: { type_check: 'pyright' } } },
    'pyright',
  ],
  ['nothing where the profile says none', lint, PYTHON, { profiles: { python: { lint: 'none' } } }, null],
  ['nothing where there is no language', lint, { 'README.md': '' }, {}, null],
  ['cargo for Rust', tests, { 'Cargo.toml': '' }, {}, 'cargo'],
  ['npm for its lock', depAudit, { 'package-lock.json': '{}' }, {}, 'npm'],
  ['the coverage of Go', coverageDelta, { 'go.mod': '' }, {}, 'go'],
  ['the coverage of pytest', coverageDelta, PYTHON, {}, 'pytest'],
  ['the benchmarks of vitest', benchmark, VITEST, {}, 'vitest'],
  ['no benchmarks of Go', benchmark, { 'go.mod': '' }, {}, null],
  ['mutmut for Python', mutationTesting, { ...PYTHON, 'a.py': '' }, {}, 'mutmut'],
  ['Stryker for JavaScript', agentTestMutation, { ...VITEST, 'a.js': '' }, {}, 'stryker'],
  ['the command for mutation', mutationTesting, PYTHON, { mutation_command: 'make mutants' }, 'make'],
  ['no mutation where there is no language', mutationTesting, { 'README.md': '' }, {}, null],
  ['radon for Python', complexityCheck, PYTHON, {}, 'radon'],
  ['lizard for the rest', complexityCheck, { 'a.go': '' }, {}, 'lizard'],
];

/** A folder of which everything was changed. */
const projectOf = (files: Readonly<Record<string, string>>): ProjectFiles => {
  const paths = new Set(Object.keys(files));
  return {
    changedPaths: [...paths],
    layout: async () => ({ base: paths, tree: paths }),
    baseFile: async (path) => files[path] ?? null,
  };
};

describe('the plan of a gate', () => {
  test.each(CASES)('is %s', async (_, gate, files, settings, program) => {
    const plan = await planOf(gate, projectOf(files), { ...settings }, true);
    const [planned] = plan === 'ours' ? [] : plan;
    expect(planned?.command.split(' ')[0] ?? null).toBe(program);
  });
});
