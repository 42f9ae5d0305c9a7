/** Globs of test files, by the reason why they need a process group; all other files share their processes. */
type TestGroup = Readonly<Record<string, readonly string[]>>;

/** Tests of `npm test` that run with one process for each file. */
export const OWN_PROCESS_TESTS: TestGroup = {
  'starts the whole stack, which listens on ports and handles signals': ['test/system/**/*.test.ts'],
  'puts language tools on the PATH': [
    'test/gates/auto-format.test.ts',
    'test/gates/benchmark.test.ts',
    'test/gates/complexity-check.test.ts',
    'test/gates/coverage-delta.test.ts',
    'test/gates/security-scan.test.ts',
    'test/gates/tests/experiments/definitions/flipped-expectations.test.ts',
    'test/cli/top.test.ts',
  ],
  'leaves a large process: starting programs from it is slow': [
    'test/gates/bad-input/configuration.test.ts',
    'test/gates/code/reading.test.ts',
    'test/gates/rules/examples.test.ts',
  ],
  'mocks modules': [
    'test/gates/code/import-cache.test.ts',
    'test/shared/contract/agents/adapter-manifests.test.ts',
  ],
  'changes the environment or kills processes': [
    'test/cli/check.test.ts',
    'test/containers/assignment.test.ts',
    'test/gates/environment/**/*.test.ts',
    'test/containers/end-to-end.test.ts',
    'test/workspace/process/**/*.test.ts',
  ],
};

/** Tests of `npm test` that share processes among themselves; each file loads its own modules. */
export const EMBEDDED_STACK_TESTS: TestGroup = {
  'the embedded stack keeps module state': ['test/local/**/*.test.ts'],
};

/** Tests of `npm test` in a separate process group: the AWS SDK clients that they mock stay mocked. */
export const LAMBDA_HANDLER_TESTS: TestGroup = {
  'AWS clients are configured when modules load': ['test/functions/**/*.test.ts'],
};

/** Tests of `npm test` that share processes among themselves. */
export const CDK_TESTS: TestGroup = {
  'the CDK leaves a 600 MB process: starting programs from it is slow': ['test/infra/**/*.test.ts'],
};

/** Tests of `npm test` that share processes among themselves; these processes stay small. */
export const PROGRAM_TESTS: TestGroup = {
  'starts dozens of programs: each start copies the page tables of its parent, 2 ms per 100 MB': [
    'test/{containers,lab/adversarial,lab/replay,support}/**/*.test.ts',
    'test/cli/{check-bad-input,demo,demo-agents,init,npm,smoke,limit-heap-growth,up}.test.ts',
    'test/gates/{allowed-files,custom,dead-code-tools,dep-audit,dlp-scan,gather,large-file,merge-conflict}.test.ts',
    'test/gates/{mutation,protect-locks,red-first,select-tests,signal-without-tests,what-is-delivered}.test.ts',
    'test/gates/bad-input/trees.test.ts',
    'test/workspace/git/**/*.test.ts',
    'test/gates/{core,pipeline}/**/*.test.ts',
    'test/gates/rules/{framework/rule-levels,llm/*}.test.ts',
    'test/gates/tests/{experiments/definitions/hidden-tests,running/tool-folders,experiments/perturbations/return-value-mutators}.test.ts',
    'test/shared/contract/repository/repository-url.test.ts',
    'test/shared/contract/{task/delivery-commit,submission/hidden-tests}.test.ts',
  ],
};

/** Tests with a timeout of two minutes. All other tests that share processes get ten seconds. */
export const LONG_TIMEOUT_TESTS: TestGroup = {
  'starts programs on a machine that may be busy': [
    'test/{cli,containers,gates,infra,lab/adversarial,lab/replay,workspace}/**/*.test.ts',
    'test/layers.test.ts',
    'test/programs.test.ts',
    'test/shared/contract/repository/repository-url.test.ts',
    'test/shared/control/roles/base-role.test.ts',
    'test/shared/contract/{task/delivery-commit,submission/hidden-tests}.test.ts',
    'test/support/commit-folder.test.ts',
  ],
  'property tests of large items or of a whole engine': [
    'test/shared/control/spending/budget.test.ts',
    'test/shared/contract/task/shrink-task.test.ts',
    'test/shared/use-cases/tasks.test.ts',
    'test/lab/simulator/**/*.test.ts',
  ],
};

/** Tests that `npm test` leaves out, because they take ten seconds or more. */
export const SLOW_TESTS: TestGroup = {
  'real language tools, where installed': [
    'test/gates/real/**/*.test.ts',
    'test/gates/tests/comparing/runners.test.ts',
    'test/gates/tests/running/add-test-reporter.test.ts',
    'test/gates/tests/running/project-scripts.test.ts',
  ],
  'experiments: suites run on the base, on mutants, in perturbed environments': [
    'test/gates/tests/comparing/tests-gate.test.ts',
    'test/gates/tests/experiments/definitions/mutation-and-environment.test.ts',
    'test/gates/tests/experiments/definitions/vacuous-tests.test.ts',
    'test/gates/tests/experiments/definitions/sensitivity-regression.test.ts',
    'test/gates/tests/experiments/compare-with-base.test.ts',
    'test/gates/tests/experiments/trees/transplant-case.test.ts',
    'test/gates/tests/experiments/sources/replacement-tests.test.ts',
    'test/gates/tests/experiments/definitions/value-replay.test.ts',
    'test/gates/tests/experiments/messages.test.ts',
    'test/gates/tests/comparing/flaky/tests-gate.test.ts',
  ],
  'load: 1,000 concurrent launches and claims': ['test/shared/use-cases/burst.test.ts'],
  'a sample of the adversarial corpus; `npm run adversarial` judges all of it': [
    'test/lab/adversarial/corpus.test.ts',
  ],
  'the whole stack; the demo keeps one path in `npm test`': [
    'test/system/approvals.test.ts',
    'test/system/events.test.ts',
    'test/system/fallback.test.ts',
    'test/system/forges.test.ts',
    'test/system/hidden-tests.test.ts',
    'test/system/judges.test.ts',
    'test/system/judging-budgets.test.ts',
    // About seventy tasks in real containers.
    'test/system/tuning.test.ts',
    'test/system/learning.test.ts',
    'test/system/merge-queue.test.ts',
    'test/system/models.test.ts',
    'test/system/opinions.test.ts',
    'test/system/outside-agents.test.ts',
    'test/system/pipeline.test.ts',
    'test/system/plans.test.ts',
    'test/system/private-repositories.test.ts',
    'test/system/reverts.test.ts',
    'test/system/screenshots.test.ts',
    'test/system/smoke.test.ts',
    'test/system/survival.test.ts',
    'test/system/traces.test.ts',
    'test/system/workers.test.ts',
    'test/system/workflows.test.ts',
    'test/docs/tutorials.test.ts',
  ],
  'API fuzzing: every field with every odd value': ['test/functions/fuzz/fuzz.test.ts'],
  'containers with the capabilities and users of the template': [
    'test/containers/confined-agent.test.ts',
    'test/containers/confined-gates.test.ts',
  ],
  '100 MB files, 1 MB lines, commands that never end': [
    'test/gates/bad-input/commands.test.ts',
    'test/gates/bad-input/large.test.ts',
    'test/gates/rules/scan/linear.test.ts',
  ],
  'browser tests, where a browser is installed': ['test/page/browser/**/*.test.ts'],
  'crash recovery: truncated files, full disks': [
    'test/cli/up-full-disk.test.ts',
    'test/local/damaged-folder.test.ts',
    'test/local/dynamodb/cut-files.test.ts',
    'test/local/dynamodb/killed-disk.test.ts',
    'test/local/dynamodb/recovery.test.ts',
  ],
  'the published package, installed in an empty folder': ['test/package/**/*.test.ts'],
  'simulation runs; `npm run simulate:check` makes more': ['test/lab/simulator/simulation.test.ts'],
};
