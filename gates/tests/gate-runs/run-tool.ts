import { join } from 'node:path';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import type { Sandboxes } from '../../core/sandboxes.ts';
import type { LanguageTool } from '../../languages/language-tool.ts';
import { REPORT_READERS } from '../../reports/report-readers.ts';
import type { CommandRun, EnvironmentOverrides } from '../running/command-run.ts';
import { readReportFile } from '../running/report-file.ts';
import { createReportPathResolver } from '../running/report-paths.ts';
import { runCommandLine } from '../running/run-command-line.ts';
import { enterFolderLine } from '../running/tool-folders.ts';

export interface RunToolOptions {
  readonly sandboxes: Sandboxes;
  readonly tool: LanguageTool;
  /** Folder of the checkout that the tool runs in; '' is the top. */
  readonly folder: string;
  /** Time that is left, in milliseconds. */
  readonly timeLeftMs: () => number;
  /** Variables of the environment that are not as usual. */
  readonly environmentOverrides?: EnvironmentOverrides;
}

/** Runs a tool on a tree, in a checkout of its own, and reads its report. */
export async function runTool(
  tree: string,
  { sandboxes, tool, folder, timeLeftMs, environmentOverrides = {} }: RunToolOptions,
): Promise<CommandRun> {
  const room = await sandboxes.createSandbox(tree);
  if (tool.format === null)
    return runCommandLine(
      room,
      {
        line: `${enterFolderLine(folder)}${tool.line}`,
        folder,
        reportRequirement: 'may',
        environment: environmentOverrides,
      },
      timeLeftMs(),
    );
  const path = join(room.tmpFolder, 'assay-report');
  // The report lies outside of the checkout, where no file or link of a patch can be in its way.
  const ran = await room.run({ line: `${enterFolderLine(folder)}${tool.line}` }, timeLeftMs(), {
    ...environmentOverrides,
    REPORT: path,
  });
  const plain = classifyProcessResult(ran);
  const broke =
    ran.exitCode === null ||
    (ran.exitCode !== 0 && !tool.ignoresExitCode && !tool.findingExitCodes.includes(ran.exitCode));
  if (broke) return { processResult: ran, ...NO_REPORT, ...adjustUnreportedAudit(tool, plain) };
  try {
    const format = await REPORT_READERS[tool.format]();
    const report = format(await readReportFile(path), {
      root: room.checkoutRoot,
      folder,
      resolvePath: createReportPathResolver(room.checkoutRoot),
    });
    const { cases } = report;
    if (report.findings.length === 0 && plain.outcome !== 'passed')
      return { processResult: ran, report: null, cases, ...adjustUnreportedAudit(tool, plain) };
    return { processResult: ran, report, cases, ...plain };
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    // It ended well and left nothing that can be read: nobody knows what it looked at.
    return plain.outcome === 'passed'
      ? {
          processResult: ran,
          ...NO_REPORT,
          outcome: 'could_not_run',
          detail: `${tool.name} left no report that can be read: ${why}`,
        }
      : { processResult: ran, ...NO_REPORT, ...adjustUnreportedAudit(tool, plain) };
  }
}

const NO_REPORT = { report: null, cases: null } as const;

type RunOutcome = Pick<CommandRun, 'outcome' | 'detail'>;

/** An audit without a report mostly could not reach its database, and that is not the patch's doing. */
const adjustUnreportedAudit = (tool: LanguageTool, plain: RunOutcome): RunOutcome =>
  tool.kind === 'dep_audit' && plain.outcome === 'failed' ? { ...plain, outcome: 'infra_failed' } : plain;
