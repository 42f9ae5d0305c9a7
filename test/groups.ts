/** Files by what they need, with the reason; all others share their processes. */
type TestGroup = Readonly<Record<string, readonly string[]>>;

/** What `npm test` runs with a process for each file. */
export const OWN_PROCESS_TESTS: TestGroup = {
  'the whole stack listens and takes signals': ['test/system/**/*.test.ts'],
  'tools of the languages come onto their path': [
    'test/gates/auto-format.test.ts',
    'test/gates/benchmark.test.ts',
    'test/gates/complexity-check.test.ts',
    'test/gates/coverage-delta.test.ts',
    'test/gates/security-scan.test.ts',
    'test/cli/top.test.ts',
  ],
  'they leave a large process behind, from which every start of another one takes longer': [
    'test/gates/bad-input/configuration.test.ts',
    'test/gates/code/reading.test.ts',
    'test/gates/rules/examples.test.ts',
  ],
  'they put something in the place of a module': ['test/gates/code/import-cache.test.ts'],
  'they change the environment, or end processes': [
    'test/cli/check.test.ts',
    'test/containers/assignment.test.ts',
    'test/containers/end-to-end.test.ts',
    'test/workspace/process/**/*.test.ts',
  ],
};

/** What `npm test` runs in processes that these files share among themselves, each with modules of its own. */
export const EMBEDDED_STACK_TESTS: TestGroup = {
  'parts of the embedded stack keep state in their modules': ['test/local/**/*.test.ts'],
};

/** The same, in other processes: the clients of the AWS SDK that they have replaced stay so. */
export const LAMBDA_HANDLER_TESTS: TestGroup = {
  'what they ask of AWS, and where, is set up when modules are loaded': ['test/functions/**/*.test.ts'],
};

/** What `npm test` runs in processes that these files share among themselves. */
export const CDK_TESTS: TestGroup = {
  'the CDK leaves a process of six hundred megabytes behind, from which every start of another one takes longer':
    ['test/infra/**/*.test.ts'],
};

/** What `npm test` runs in processes that these files share among themselves, and that stay small. */
export const PROGRAM_TESTS: TestGroup = {
  'they start programs by the dozen: each start copies the tables of the pages of the process that starts it, 2 ms for each hundred megabytes':
    [
      'test/{containers,lab/adversarial,lab/replay,support}/**/*.test.ts',
      'test/cli/{check-bad-input,demo,demo-agents,init,npm,smoke,small-heap,up}.test.ts',
      'test/gates/{allowed-files,custom,dead-code-tools,dep-audit,dlp-scan,gather,large-file,merge-conflict}.test.ts',
      'test/gates/{mutation,protect-locks,red-first,select-tests,signal-without-tests,what-is-delivered}.test.ts',
      'test/gates/bad-input/trees.test.ts',
      'test/workspace/git/**/*.test.ts',
      'test/gates/{core,pipeline}/**/*.test.ts',
      'test/gates/rules/{framework/rule-levels,llm/*}.test.ts',
      'test/gates/tests/{experiments/behaviour/hidden,running/tool-folders,experiments/mutants/instead}.test.ts',
      'test/shared/contract/repository/repository-url.test.ts',
      'test/shared/contract/{task/delivery-commit,submission/hidden-tests}.test.ts',
    ],
};

/** Of those that share processes: which tests may take two minutes. All others get ten seconds. */
export const LONG_TIMEOUT_TESTS: TestGroup = {
  'programs are started, and the machine may be busy with others': [
    'test/{cli,containers,gates,infra,lab/adversarial,lab/replay,workspace}/**/*.test.ts',
    'test/layers.test.ts',
    'test/shared/contract/repository/repository-url.test.ts',
    'test/shared/control/roles/base-role.test.ts',
    'test/shared/contract/{task/delivery-commit,submission/hidden-tests}.test.ts',
    'test/support/commit-folder.test.ts',
  ],
  'properties of large items, or asked of a whole engine: a second or two each, on cores that nobody else has':
    [
      'test/shared/control/spending/budget.test.ts',
      'test/shared/contract/task/shrink-task.test.ts',
      'test/shared/use-cases/tasks.test.ts',
      'test/lab/simulator/**/*.test.ts',
    ],
};

/** What `npm test` leaves out: it takes ten seconds and more. */
export const SLOW_TESTS: TestGroup = {
  'real tools of the languages, as far as they are here': [
    'test/gates/real/**/*.test.ts',
    'test/gates/tests/comparing/runners.test.ts',
    'test/gates/tests/running/add-test-reporter.test.ts',
    'test/gates/tests/running/project-scripts.test.ts',
  ],
  'suites that are run again and again: on the base, on mutants, in other surroundings': [
    'test/gates/tests/comparing/tests-gate.test.ts',
    'test/gates/tests/experiments/behaviour/further.test.ts',
    'test/gates/tests/experiments/behaviour/idle-tests.test.ts',
    'test/gates/tests/experiments/behaviour/minded-before.test.ts',
    'test/gates/tests/experiments/behaviour/node.test.ts',
    'test/gates/tests/experiments/behaviour/one-by-one.test.ts',
    'test/gates/tests/experiments/behaviour/replaced.test.ts',
    'test/gates/tests/experiments/behaviour/unasked.test.ts',
    'test/gates/tests/experiments/messages.test.ts',
    'test/gates/tests/comparing/flaky/tests-gate.test.ts',
  ],
  'a thousand launches and a thousand claims at once': ['test/shared/use-cases/burst.test.ts'],
  'a sample of the corpus; `npm run evasion` judges all of it': ['test/lab/adversarial/corpus.test.ts'],
  'the whole stack: every turn of a task, crowds, kills, workers; its way through stays in `npm test`, by the demo':
    [
      'test/system/approvals.test.ts',
      'test/system/events.test.ts',
      'test/system/fallback.test.ts',
      'test/system/forges.test.ts',
      'test/system/hidden-tests.test.ts',
      'test/system/judges.test.ts',
      'test/system/judging-budgets.test.ts',
      // Some seventy tasks of real boxes.
      'test/system/evolution.test.ts',
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
    ],
  'every field of the API, with each value that is odd': ['test/functions/fuzz/fuzz.test.ts'],
  'boxes with the capabilities and users of the template; boxes without stay in `npm test`': [
    'test/containers/confined-agent.test.ts',
    'test/containers/confined-gates.test.ts',
  ],
  'files of a hundred megabytes, lines of one, commands that do not end': [
    'test/gates/bad-input/commands.test.ts',
    'test/gates/bad-input/large.test.ts',
    'test/gates/rules/scan/linear.test.ts',
  ],
  'a browser, where there is one': ['test/page/browser/**/*.test.ts'],
  'files that are cut at every offset, disks that are full': [
    'test/local/damaged-folder.test.ts',
    'test/local/dynamodb/cut-files.test.ts',
    'test/local/dynamodb/killed-disk.test.ts',
    'test/local/dynamodb/recovery.test.ts',
  ],
  'what is published, packed and installed in an empty folder': ['test/package/**/*.test.ts'],
  'simulated runs; `npm run simulate:check` makes more of them': ['test/lab/simulator/simulation.test.ts'],
};
