import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CapturedScreenshot } from '../../gates/core/gate.ts';
import { EXAM_MODES } from '../../shared/contract/evidence/independent.ts';
import { renderCheckReport, toCheckJson } from '../check/check-report.ts';
import { type CheckResult, runCheck } from '../check/run-check.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import { defineOption } from '../parameters.ts';
import {
  CHECKED_REPOSITORY_OPTIONS,
  COUNTEREXAMPLES_OPTION,
  EXAM_FOLDER_OPTION,
  EXPECTED_CHANGES_OPTION,
} from '../shared-options.ts';

const FORMATS = ['text', 'json', 'sarif', 'junit', 'github', 'markdown'] as const;
type Format = (typeof FORMATS)[number];

const EXIT_CODES = {
  pass: CLI_EXIT_CODES.ok,
  fail: CLI_EXIT_CODES.failed,
  refer: CLI_EXIT_CODES.needsReview,
} as const;

const reportFormats = async () => (await import('../check/report-formats.ts')).CHECK_REPORT_FORMATTERS;

async function writeOutputFile(cwd: string, file: string, text: string): Promise<void> {
  await writeFile(resolve(cwd, file), text).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(CLI_EXIT_CODES.usage, 'unwritable_file', `${file} cannot be written (${error.code}).`);
  });
}

/** Writes each screenshot as `<name>.png` and replaces existing files. */
async function writeScreenshots(
  cwd: string,
  folder: string,
  screenshots: readonly CapturedScreenshot[],
): Promise<void> {
  const place = resolve(cwd, folder);
  try {
    await mkdir(place, { recursive: true });
    for (const { screenshot, png } of screenshots)
      await writeFile(join(place, `${screenshot.name}.png`), png);
  } catch (error) {
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'unwritable',
      `screenshots could not be written to ${folder}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

interface OutputFiles {
  readonly sarif: string | undefined;
  readonly junit: string | undefined;
  readonly screenshots: string | undefined;
  readonly summary: string | undefined;
}

async function writeOutputFiles(result: CheckResult, files: OutputFiles, cwd: string): Promise<void> {
  const { evidence, verdict } = result;
  if (files.sarif !== undefined)
    await writeOutputFile(cwd, files.sarif, `${(await reportFormats()).sarif(evidence, verdict)}\n`);
  if (files.junit !== undefined) {
    const { formatJunit } = await import('../../gates/pipeline/output/write-junit.ts');
    await writeOutputFile(cwd, files.junit, formatJunit(result.suites));
  }
  if (files.screenshots !== undefined) await writeScreenshots(cwd, files.screenshots, result.screenshots);
  if (files.summary !== undefined)
    await writeOutputFile(cwd, files.summary, `${(await reportFormats()).markdown(evidence, verdict)}\n`);
}

/** Returns the report in a format; the pages of rules are loaded only if there are findings to explain. */
async function renderReport(
  { evidence, verdict }: CheckResult,
  format: Exclude<Format, 'json'>,
  { io, out }: LocalCommandSession,
): Promise<string> {
  if (format !== 'text') return (await reportFormats())[format](evidence, verdict);
  const hasFindings = evidence.gates.some(({ findings }) => findings.length > 0);
  const explain = hasFindings
    ? (await import('../../gates/rules/rule-page.ts')).getExplainCommand
    : () => null;
  return renderCheckReport(evidence, verdict, explain, out, io.stdout.columns);
}

export const checkCommand = defineLocalCommand({
  name: 'check',
  options: {
    ...CHECKED_REPOSITORY_OPTIONS,
    task: defineOption(
      '--task <file>',
      'YAML or JSON task whose signals, files and expected_changes are used',
    ),
    githubEvent: defineOption(
      '--github-event <file>',
      'event of GitHub ($GITHUB_EVENT_PATH) whose pull request is the task, by title and text',
    ),
    exam: EXAM_FOLDER_OPTION,
    counterexamples: COUNTEREXAMPLES_OPTION,
    challenge: defineOption(
      '--challenge <command>',
      'command line of a local agent CLI that tries to prove the patch wrong, once everything else has passed',
    ),
    examMode: defineOption('--exam-mode <mode>', 'what they make of the verdict (default: gate)', {
      choices: EXAM_MODES,
    }),
    expectedChanges: EXPECTED_CHANGES_OPTION,
    config: defineOption('--config <file>', "configuration to use instead of the base commit's assay.yaml"),
    models: defineOption(
      '--models <file>',
      'judge models for gates: YAML or JSON, purpose to provider and model',
    ),
    skippedGates: defineOption(
      '--skip-gate <name>',
      'bypass this gate, if the configuration allows it (repeatable)',
      { repeatable: true },
    ),
    skipReason: defineOption('--skip-gate-reason <text>', 'reason; kept in the evidence'),
    noCache: defineOption('--no-cache', 'run every gate, even if its inputs have not changed'),
    cacheDir: defineOption(
      '--cache-dir <dir>',
      'folder of the cache (default: assay-cache in the git folder)',
    ),
    sarif: defineOption('--sarif <file>', 'write the findings of all gates to this file, as SARIF 2.1.0'),
    junit: defineOption('--junit <file>', 'write the results of all tests to this file, as JUnit XML'),
    screenshots: defineOption('--screenshots <folder>', 'write the screenshots of gates there'),
    summary: defineOption('--summary <file>', 'write a summary to this file, as Markdown'),
    format: defineOption(
      '--format <format>',
      'what to print: text, JSON, code scanning, test report, GitHub annotations, or a summary',
      { choices: FORMATS },
    ),
  },
  json: {
    text: '`--json` prints evidence and verdict of one tree. `verdict` is `pass`, `fail` or `refer`, an `outcome` one of `passed failed could_not_run timed_out infra_failed skipped bypassed`, `kind` the kind of evidence.',
    example: `{
  "verdict": "fail",
  "verified": true,
  "reasons": ["gate tests: exit 1"],
  "reason_codes": [{"code": "gate_failed", "subject": "tests"}],
  "base": "commit id",
  "tree": "tree hash",
  "empty_patch": false,
  "changed_files": ["src/a.ts"],
  "expected_changes": ["ci"],
  "protected_files": [{"path": ".github/ci.yml", "change": "modified", "kind": "ci", "reason": "text", "checked_version": "base|part|patch", "allowed_by": null, "review_reason": "text"}],
  "signals": [
    {"type": "path_exists", "subject": "path_exists: src/a.ts", "outcome": "passed", "kind": "checked", "detail": "", "duration_ms": 1}
  ],
  "gates": [
    {
      "name": "tests",
      "outcome": "failed",
      "kind": "executed",
      "required": true,
      "blocked": true,
      "findings": [{"file": "src/a.ts", "line": 3, "rule": "rule", "message": "text"}],
      "detail": "exit 1",
      "duration_ms": 812,
      "cached": false,
      "facts": {"exit_code": 1}
    }
  ],
  "tests_run": true,
  "quality_gates_run": true,
  "completion_signals_checked": true,
  "duration_ms": 900
}`,
  },
  examples: [
    ['check --base main', 'the working tree against main'],
    ['check --repo ../shop --base v1.2 --task task.yaml --json', 'with the signals of a task, for a script'],
    [
      'check --task task.yaml --exam ../exam',
      'with acceptance tests that the author of the patch has not seen',
    ],
    [
      'check --task task.yaml --challenge \'agent --print < "$ASSAY_PROMPT_FILE"\'',
      'with a challenger: an agent CLI that reads its prompt there and writes into its working folder',
    ],
    ['check --format github', 'in a workflow: annotations on the lines'],
    ['check --format github --summary "$GITHUB_STEP_SUMMARY"', 'with a summary on the page of the run'],
  ],
  run: async (session, { models, sarif, junit, screenshots, summary, format, ...options }) => {
    const { cwd } = session.io;
    const judge =
      models === undefined
        ? null
        : await (await import('../judge-models.ts')).createLocalJudge(models, session.io);
    const result = await runCheck(options, cwd, judge, (text) => session.note(text));
    const { evidence, verdict } = result;
    await writeOutputFiles(result, { sarif, junit, screenshots, summary }, cwd);
    const chosen = format ?? (session.json ? 'json' : 'text');
    session.print(
      chosen === 'json'
        ? JSON.stringify(toCheckJson(evidence, verdict), null, 2)
        : await renderReport(result, chosen, session),
    );
    return EXIT_CODES[verdict.verdict];
  },
});
