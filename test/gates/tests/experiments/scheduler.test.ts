import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TestExperiment } from '../../../../gates/tests/experiments/engine/experiment.ts';
import {
  createTestCaseFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
} from '../../../../gates/tests/experiments/engine/experiment.ts';
import {
  ExperimentBudgetSpentError,
  type ExperimentTestRunners,
  MissingExperimentEvidenceError,
} from '../../../../gates/tests/experiments/engine/test-runners.ts';
import { runTestExperiments } from '../../../../gates/tests/experiments/scheduler.ts';

const lost = (severity: 'warning' | 'info'): ExperimentResult => ({
  ...EMPTY_EXPERIMENT_RESULT,
  findings: [createTestCaseFinding({ file: 'a.test.js', name: 'a' }, { rule: 'run_test_lost' }, severity)],
});
const experiment = (id: string, ran: string[], given: Partial<TestExperiment> = {}): TestExperiment => ({
  id,
  evidence: 'optional',
  tree: 'patch',
  tests: 'none',
  perturbation: 'none',
  needs: [],
  when: 'undecided',
  applies: () => true,
  ...given,
  run: async (context) => {
    ran.push(id);
    return given.run?.(context) ?? EMPTY_EXPERIMENT_RESULT;
  },
});
// The scheduler reads these fields only.
const RUNNERS = { startRequired: () => null } as unknown as ExperimentTestRunners;
const CONTEXT = {
  expected: null,
  settings: { budget: 20, perturbedEnvironment: false, mutants: null },
} as unknown as Omit<ExperimentInput, 'failures' | 'runTests'>;

describe('the scheduler of experiments', () => {
  it('leaves out what cannot change the outcome any more', async () => {
    const ran: string[] = [];
    const { findings } = await runTestExperiments(
      [
        experiment('first', ran, { run: async () => lost('warning') }),
        experiment('undecided', ran),
        experiment('always', ran, { when: 'always' }),
      ],
      CONTEXT,
      RUNNERS,
    );
    expect(ran).toEqual(['first', 'always']);
    expect(findings).toHaveLength(1);
  });

  it('goes on after a note', async () => {
    const ran: string[] = [];
    await runTestExperiments(
      [experiment('first', ran, { run: async () => lost('info') }), experiment('second', ran)],
      CONTEXT,
      RUNNERS,
    );
    expect(ran).toEqual(['first', 'second']);
  });

  it('leaves out what a setting switches off, and what does not apply', async () => {
    const ran: string[] = [];
    await runTestExperiments(
      [
        experiment('environment', ran, { needs: ['perturbed_environment'] }),
        experiment('mutants', ran, { needs: ['mutants'] }),
        experiment('other', ran, { applies: () => false }),
      ],
      CONTEXT,
      RUNNERS,
    );
    expect(ran).toEqual([]);
  });

  it('names what the budget did not allow', async () => {
    const spent = async (): Promise<never> => {
      throw new ExperimentBudgetSpentError();
    };
    const { facts } = await runTestExperiments([experiment('mutants', [], { run: spent })], CONTEXT, RUNNERS);
    expect(facts).toEqual({ experiments_not_run: 'mutants' });
  });

  it('runs required evidence first, and needs review wherever some of it is missing', async () => {
    const kinds = fc.constantFrom('required', 'optional', 'conclusion');
    const row = fc.record({ evidence: kinds, runs: fc.boolean(), applies: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (rows) => {
        const ran: string[] = [];
        const { findings, facts } = await runTestExperiments(
          rows.map(({ evidence, runs, applies }, at) =>
            experiment(`${evidence}_${at}`, ran, {
              evidence,
              when: 'always',
              applies: () => applies,
              run: async () => {
                if (runs) return EMPTY_EXPERIMENT_RESULT;
                throw evidence === 'required'
                  ? new MissingExperimentEvidenceError({ code: 'no_time_left', limitMs: 1 })
                  : new ExperimentBudgetSpentError();
              },
            }),
          ),
          CONTEXT,
          RUNNERS,
        );
        const missing = rows.filter(
          ({ evidence, runs, applies }) => evidence === 'required' && applies && !runs,
        );
        expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(
          missing.map(() => 'run_comparison_missing warning'),
        );
        expect(facts['experiments_not_run'] ?? '').not.toContain('required');
        const order = ran.map((id) => id.startsWith('required'));
        expect(order).toEqual(order.toSorted((a, b) => Number(b) - Number(a)));
      }),
    );
  });
});
