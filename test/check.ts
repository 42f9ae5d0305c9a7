import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CHECK_STEPS, runNpmScript, type StepOutcome } from './checks/check-steps.ts';
import { countTests, listFailures, TEST_OUTCOMES, type TestCounts } from './checks/vitest-report.ts';

/** What Lambda runs is what must be tested. */
const NODE_MAJOR = 24;
const REPORT = '.cache/test-report.json';
const LONG_REPORT = '.cache/test-long-report.json';

const WORDS = { passed: 'ok', failed: 'FAILED', skipped: 'SKIPPED' } as const;
const line = (outcome: StepOutcome, title: string, ms: number): void =>
  console.log(`${WORDS[outcome].padEnd(8)}${title.padEnd(36)} ${(ms / 1_000).toFixed(1).padStart(6)} s`);
const told = (ok: boolean): StepOutcome => (ok ? 'passed' : 'failed');

function guardNode(): boolean {
  const major = Number(process.versions.node.split('.')[0]);
  const ok = major >= NODE_MAJOR;
  line(told(ok), `Node ${process.versions.node}`, 0);
  if (!ok)
    console.error(
      `Node ${NODE_MAJOR} is needed; \`npm ci\` installs it, and npm scripts find it. On a platform without a package, install it.`,
    );
  return ok;
}

/** Runs tests with their usual output. */
function runTests(script: string, report: string): Promise<number> {
  rmSync(report, { force: true });
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ASSAY_TEST_REPORT: report },
    });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      // Set by .ci/run, which has run the tests already.
      'tests-report': { type: 'string' },
      'tests-exit': { type: 'string' },
    },
  });
  const sum: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  const count = (counts: TestCounts): void => {
    for (const outcome of TEST_OUTCOMES) sum[outcome] += counts[outcome];
  };
  const one = (outcome: StepOutcome): TestCounts => ({
    passed: 0,
    failed: 0,
    skipped: 0,
    [outcome]: 1,
  });

  count(one(told(guardNode())));
  for (const { name, title } of CHECK_STEPS) {
    const result = await runNpmScript(name, { CDK_DISABLE_CLI_TELEMETRY: 'true' });
    line(result.outcome, title, result.ms);
    if (result.outcome !== 'passed') console.log(result.output.trimEnd());
    // What was left out of a step is not tested, and is said.
    else for (const left of result.output.match(/^SKIPPED .*$/gm) ?? []) console.log(`        ${left}`);
    count(one(result.outcome));
  }
  const broken: string[] = [];
  const tell = (title: string, file: string, tests: TestCounts, ms: number): void => {
    broken.push(...listFailures(file));
    line(told(tests.failed === 0), `${title} (${tests.passed} passed, ${tests.failed} failed)`, ms);
    count(tests);
  };
  const run = async (title: string, script: string, report: string): Promise<void> => {
    const started = performance.now();
    const exit = await runTests(script, report);
    tell(title, report, countTests(report, exit), performance.now() - started);
  };
  const report = values['tests-report'];
  if (report === undefined) await run('tests', 'test', REPORT);
  else tell('tests', report, countTests(report, Number(values['tests-exit'] ?? 0)), 0);
  await run('long tests', 'test:long', LONG_REPORT);
  for (const each of broken) console.log(`FAILED  ${each}`);
  console.log(`${sum.skipped} skipped, for want of tools or rights`);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
}

process.exitCode = await main();
