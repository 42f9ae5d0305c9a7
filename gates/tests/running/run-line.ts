import { join } from 'node:path';
import { outcomeOf } from '../../../workspace/process/outcome.ts';
import type { Room } from '../../core/rooms.ts';
import { inOutput, readAny } from '../../reports/any.ts';
import type { Report } from '../../reports/report.ts';
import { brokenOff } from './broken-off.ts';
import type { Execution } from './execution.ts';
import { readReport } from './report-file.ts';

/** A line for `bash -c`, and what makes its runner report single tests. */
export interface Line {
  readonly line: string;
  /** Variables of its environment besides the usual ones. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Folder of the checkout that relative paths of a report start from; absent: the top. */
  readonly folder?: string;
  /** What it means that there is no report at the end of a line that ends well. Default: what the line says of `$REPORT`. */
  readonly report?: 'must' | 'may' | null;
  /** The exit code is all that counts: no report is looked for. */
  readonly plain?: boolean;
}

/** Stands in a variable for the file that `$REPORT` names. */
export const REPORT_PATH = '%REPORT%';

/** Stands in a variable for a file that the code under test writes, which is read afterwards. */
export const ASIDE_PATH = '%ASIDE%';

/** How the line of a command names the file that it writes its report to. */
const NAMES_REPORT = /\$\{?REPORT\b/;

/**
 * Runs a command line of the project. Its exit code decides, and so does a report where it leaves one: in the file `$REPORT`, which
 * lies outside of the checkout, or in its output. A report is written by the code that is looked at: it adds failures, it never takes
 * the one away that the exit code tells.
 */
export async function runLine(
  room: Room,
  {
    line,
    extra = {},
    folder = '',
    report: duty = NAMES_REPORT.test(line) ? 'must' : null,
    plain: exitOnly = false,
  }: Line,
  timeoutMs: number,
): Promise<Execution> {
  const ground = { root: room.root, folder };
  const path = join(room.tmp, 'assay-report');
  const asidePath = join(room.tmp, 'assay-aside');
  const filled = Object.entries(extra).map(([name, value]) => [
    name,
    value.replaceAll(REPORT_PATH, path).replaceAll(ASIDE_PATH, asidePath),
  ]);
  const ran = await room.run({ line }, timeoutMs, { REPORT: path, ...Object.fromEntries(filled) });
  const aside = Object.values(extra).includes(ASIDE_PATH)
    ? await readReport(asidePath).catch(() => null)
    : null;
  const ended = outcomeOf(ran);
  const broken = ended.outcome === 'passed' ? brokenOff(ran) : null;
  const plain = broken === null ? ended : { outcome: 'failed' as const, detail: broken };
  if (exitOnly) return { ran, report: null, cases: null, aside, ...plain };
  let report: Report | null = null;
  let why = '';
  let isThere = true;
  try {
    report = await readAny(await readReport(path), ground);
  } catch (error) {
    why = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    isThere = (error as NodeJS.ErrnoException).code !== 'ENOENT';
    report = await inOutput(ran.output, ran.cutBytes, ground);
  }
  const cases = report?.cases ?? null;
  if (report === null && plain.outcome === 'passed' && (duty === 'must' || (duty === 'may' && isThere)))
    return {
      ran,
      report,
      cases,
      aside,
      outcome: 'inert',
      detail: `the command ended well and left no report that can be read: ${why}`,
    };
  // Ended from outside, or ended badly without a word on why: what the report says is not all there is to know.
  if (ran.exitCode === null || (plain.outcome !== 'passed' && report?.complaints.length === 0))
    return { ran, report: null, cases, aside, ...plain };
  return { ran, report, cases, aside, ...plain };
}
