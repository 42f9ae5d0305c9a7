import { join } from 'node:path';
import { outcomeOf } from '../../../workspace/process/outcome.ts';
import type { Rooms } from '../../core/rooms.ts';
import type { Tool } from '../../languages/tool.ts';
import { FORMATS } from '../../reports/all.ts';
import type { Execution, Surroundings } from '../running/execution.ts';
import { enter } from '../running/folders.ts';
import { readReport } from '../running/report-file.ts';
import { runLine } from '../running/run-line.ts';

export interface ExecuteOptions {
  readonly rooms: Rooms;
  readonly tool: Tool;
  /** Line that prepares the checkout; it runs in `folder`. */
  readonly setup: string | null;
  /** Folder of the checkout that the tool runs in; '' is the top. */
  readonly folder: string;
  /** Time that is left, in milliseconds. */
  readonly left: () => number;
  /** Variables of the environment that are not as usual. */
  readonly surroundings?: Surroundings;
}

/** Runs a tool on a tree, in a checkout of its own, and reads its report. */
export async function execute(
  tree: string,
  { rooms, tool, setup, folder, left, surroundings = {} }: ExecuteOptions,
): Promise<Execution> {
  const room = await rooms.enter(tree);
  if (setup !== null) {
    const ran = await room.run({ line: `${enter(folder)}${setup}` }, left());
    const { outcome, detail } = outcomeOf(ran);
    if (outcome !== 'passed')
      return { ran, report: null, cases: null, outcome, detail: `set-up "${setup}": ${detail}` };
  }
  if (tool.format === null)
    return runLine(
      room,
      { line: `${enter(folder)}${tool.line}`, folder, report: 'may', extra: surroundings },
      left(),
    );
  const path = join(room.tmp, 'assay-report');
  // The report lies outside of the checkout, where no file or link of a patch can be in its way.
  const ran = await room.run({ line: `${enter(folder)}${tool.line}` }, left(), {
    ...surroundings,
    REPORT: path,
  });
  const plain = outcomeOf(ran);
  const broke =
    ran.exitCode === null ||
    (ran.exitCode !== 0 && !tool.exitSaysNothing && !tool.complains.includes(ran.exitCode));
  if (broke) return { ran, ...NO_REPORT, ...unreported(tool, plain) };
  try {
    const format = await FORMATS[tool.format]();
    const report = format(await readReport(path), { root: room.root, folder });
    const { cases } = report;
    if (report.complaints.length === 0 && plain.outcome !== 'passed')
      return { ran, report: null, cases, ...unreported(tool, plain) };
    return { ran, report, cases, ...plain };
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    // It ended well and left nothing that can be read: nobody knows what it looked at.
    return plain.outcome === 'passed'
      ? {
          ran,
          ...NO_REPORT,
          outcome: 'inert',
          detail: `${tool.name} left no report that can be read: ${why}`,
        }
      : { ran, ...NO_REPORT, ...unreported(tool, plain) };
  }
}

const NO_REPORT = { report: null, cases: null } as const;

type Plain = Pick<Execution, 'outcome' | 'detail'>;

/** An audit without a report mostly could not reach its database, and that is not the patch's doing. */
const unreported = (tool: Tool, plain: Plain): Plain =>
  tool.kind === 'dep_audit' && plain.outcome === 'failed' ? { ...plain, outcome: 'infra_failed' } : plain;
