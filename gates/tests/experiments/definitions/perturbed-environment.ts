import type { GateFinding } from '../../../core/gate-finding.ts';
import { collectTestIdsByOutcome, computeTestId } from '../../../core/test-result.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import {
  createExperimentFinding,
  createTestCaseFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
  type TestExperiment,
} from '../engine/experiment.ts';
import { selectTestsReadingEnvironment } from '../sources/environment-reads.ts';
import {
  createReachingTestsLookup,
  readProjectCodeWithinTimeLimit,
  writeTreeWithOnlyTests,
} from '../trees/changed-tests.ts';

/** Most test files that run once more in the perturbed environment. */
const MAX_TEST_FILES = 20;

/**
 * An environment that says nothing of what code should do: another time zone and locale, another host and user, and no sign of CI.
 * Code that behaves otherwise there detects that it is checked, or is unstable.
 */
const PERTURBED_ENVIRONMENT: Readonly<Record<string, string>> = {
  CI: '',
  TZ: 'Pacific/Chatham',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  HOSTNAME: 'build-7',
  HOST: 'build-7',
  USER: 'someone',
  LOGNAME: 'someone',
  TERM: 'xterm-256color',
};

/**
 * Runs the tests that reach the patch and may read their environment in another one; where one fails, the base's tests run there as
 * well.
 */
export const perturbedEnvironmentExperiment: TestExperiment = {
  id: 'perturbed_environment',
  evidence: 'optional',
  tree: 'both',
  tests: 'reaching',
  perturbation: 'environment',
  needs: ['perturbed_environment'],
  when: 'undecided',
  applies: () => true,
  run: runPerturbed,
};

async function runPerturbed({ subject, run, runTests }: ExperimentInput): Promise<ExperimentResult> {
  const reaching = await createReachingTestsLookup(subject);
  const changed = subject.changes.flatMap(({ path, headEntry }) => (headEntry ? [path] : []));
  const all = reaching === null ? [] : [...new Set(changed.flatMap((path) => reaching(path)))];
  const project = all.length === 0 ? null : await readProjectCodeWithinTimeLimit(subject);
  if (project === null)
    return { ...EMPTY_EXPERIMENT_RESULT, facts: { perturbed_environment: 'no test reaches the patch' } };
  const selected = await selectTestsReadingEnvironment({
    store: subject.store,
    code: project.head,
    changed,
    tests: all,
  });
  const tests = selected.slice(0, MAX_TEST_FILES);
  if (tests.length === 0)
    return { ...EMPTY_EXPERIMENT_RESULT, facts: { perturbed_environment: 'no test reads its environment' } };
  const options = { environment: PERTURBED_ENVIRONMENT };
  const perturbed = await runTests(await writeTreeWithOnlyTests(subject, subject.tree, tests), options);
  const facts = { perturbed_environment: `${tests.length} test files` };
  if (perturbed.outcome === 'passed') return { findings: [], facts };
  const base = await runTests(await writeTreeWithOnlyTests(subject, subject.base, tests), options);
  return { findings: environmentFindings(run, perturbed, base), facts };
}

const CAUSE = { rule: 'run_depends_on_surroundings' } as const;

/** Tests that pass as usual and not in the perturbed environment, where the base passes in both. */
function environmentFindings(
  usual: CompletedCommandRun,
  perturbed: CompletedCommandRun,
  base: CompletedCommandRun,
): GateFinding[] {
  if (usual.outcome !== 'passed') return [];
  if (perturbed.cases === null)
    return base.outcome === 'passed' && perturbed.outcome === 'failed'
      ? [createExperimentFinding({ file: null, severity: 'warning', cause: CAUSE })]
      : [];
  const [passedUsually, passedOnBase] = [
    collectTestIdsByOutcome(usual.cases, 'passed'),
    collectTestIdsByOutcome(base.cases, 'passed'),
  ];
  const passes = collectTestIdsByOutcome(perturbed.cases, 'passed');
  return (
    perturbed.cases
      .filter(
        (test) =>
          test.outcome === 'failed' &&
          passedUsually.has(computeTestId(test)) &&
          !passes.has(computeTestId(test)),
      )
      // What fails on the base as well depends on its environment without the patch.
      .filter((test) => base.cases === null || passedOnBase.has(computeTestId(test)))
      .map((test) => createTestCaseFinding(test, CAUSE, 'warning'))
  );
}
