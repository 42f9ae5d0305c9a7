import { join } from 'node:path';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import type { ProcessResult } from '../../../workspace/process/run-process.ts';
import type { Sandbox } from '../../core/sandbox-factory.ts';
import { findReportInOutput, readAnyReport } from '../../reports/read-any-report.ts';
import type { ToolReport } from '../../reports/tool-report.ts';
import type { CompletedCommandRun } from './command-run.ts';
import { readReportFile } from './report-file.ts';
import { createReportPathResolver } from './report-paths.ts';

const STARTS = /^running \d{1,9} tests?\r?$/gm;
const ENDS = /^test result: /gm;

/** Test programs of Rust that began, and fewer that came to their end. */
interface TruncatedRun {
  readonly started: number;
  readonly ended: number;
}

/**
 * Finds out that a run that ended well did not come to its end; null where nothing tells. A test program of Rust says how many tests it is
 * going to run, and then what came of them: code that ends the process well leaves the second out.
 */
function findTruncatedRun({
  output,
  truncatedBytes,
}: Pick<ProcessResult, 'output' | 'truncatedBytes'>): TruncatedRun | null {
  if (truncatedBytes > 0) return null;
  const started = output.match(STARTS)?.length ?? 0;
  const ended = output.match(ENDS)?.length ?? 0;
  return started > ended ? { started, ended } : null;
}

const renderTruncatedRun = ({ started, ended }: TruncatedRun): string =>
  `a test program ended with exit 0 in the middle: ${ended} of ${started} told what came of their tests`;

/** A line for `bash -c`, and what makes its runner report single tests. */
export interface CommandLine {
  readonly line: string;
  /** Variables of its environment besides the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder of the checkout that relative paths of a report start from; absent: the top. */
  readonly folder?: string;
  /** What it means that there is no report at the end of a line that ends well. Default: what the line says of `$REPORT`. */
  readonly reportRequirement?: 'must' | 'may' | null;
  /** The exit code is all that counts: no report is looked for. */
  readonly exitCodeOnly?: boolean;
}

/** Stands in a variable for the file that `$REPORT` names. */
export const REPORT_PATH_PLACEHOLDER = '%REPORT%';

/** Stands in a variable for a file that the code under test writes, which is read afterwards. */
export const TEST_OUTPUT_FILE_PLACEHOLDER = '%ASIDE%';

/** How the line of a command names the file that it writes its report to. */
const NAMES_REPORT = /\$\{?REPORT\b/;

/**
 * Runs a command line of the project. Its exit code decides, and so does a report where it leaves one: in the file `$REPORT`, which
 * lies outside of the checkout, or in its output. A report is written by the code that is looked at: it adds failures, it never takes
 * the one away that the exit code tells.
 */
export async function runCommandLine(
  sandbox: Sandbox,
  {
    line,
    environment = {},
    folder = '',
    reportRequirement: duty = NAMES_REPORT.test(line) ? 'must' : null,
    exitCodeOnly: exitOnly = false,
  }: CommandLine,
  timeoutMs: number,
): Promise<CompletedCommandRun> {
  const ground = {
    root: sandbox.checkoutRoot,
    folder,
    resolvePath: createReportPathResolver(sandbox.checkoutRoot),
  };
  const path = join(sandbox.tmpFolder, 'assay-report');
  const asidePath = join(sandbox.tmpFolder, 'assay-aside');
  const filled = Object.entries(environment).map(([name, value]) => [
    name,
    value.replaceAll(REPORT_PATH_PLACEHOLDER, path).replaceAll(TEST_OUTPUT_FILE_PLACEHOLDER, asidePath),
  ]);
  const ran = await sandbox.run({ line }, timeoutMs, { REPORT: path, ...Object.fromEntries(filled) });
  const aside = Object.values(environment).includes(TEST_OUTPUT_FILE_PLACEHOLDER)
    ? await readReportFile(asidePath).catch(() => null)
    : null;
  const ended = classifyProcessResult(ran);
  const truncated = ended.outcome === 'passed' ? findTruncatedRun(ran) : null;
  const plain =
    truncated === null ? ended : { outcome: 'failed' as const, detail: renderTruncatedRun(truncated) };
  if (exitOnly) return { processResult: ran, report: null, cases: null, sideFileText: aside, ...plain };
  let report: ToolReport | null = null;
  let why = '';
  let reportProblem: string | null = null;
  let isThere = true;
  try {
    report = await readAnyReport(await readReportFile(path), ground);
  } catch (error) {
    why = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    isThere = (error as NodeJS.ErrnoException).code !== 'ENOENT';
    ({ report, problem: reportProblem } = await findReportInOutput(ran.output, ran.truncatedBytes, ground));
  }
  const cases = report?.cases ?? null;
  if (report === null && plain.outcome === 'passed' && (duty === 'must' || (duty === 'may' && isThere)))
    return {
      processResult: ran,
      report,
      cases,
      sideFileText: aside,
      outcome: 'could_not_run',
      detail: `the command ended well and left no report that can be read: ${why}`,
    };
  // Ended from outside, or ended badly without a word on why: what the report says is not all there is to know.
  if (ran.exitCode === null || (plain.outcome !== 'passed' && report?.findings.length === 0))
    return { processResult: ran, report: null, cases, reportProblem, sideFileText: aside, ...plain };
  return { processResult: ran, report, cases, reportProblem, sideFileText: aside, ...plain };
}
