import { join } from 'node:path';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import type { GateResult } from '../../core/gate.ts';
import type { SandboxFactory } from '../../core/sandbox-factory.ts';
import { readReportFile } from '../running/report-file.ts';
import { buildEnterFolderLine } from '../running/tool-folders.ts';

export interface MeasurementRun {
  /** What it left in `$REPORT`; null when it left nothing that can be read. */
  readonly reportText: string | null;
  readonly outcome: GateResult['outcome'];
  readonly detail: string;
  readonly exitCode: number | null;
  /** Real path of the checkout that it ran in. */
  readonly checkoutRoot: string;
}

export interface RunMeasurementOptions {
  readonly sandboxes: SandboxFactory;
  /** Line for `bash -c`. The report's file is `$REPORT`, the files are `"$@"`. */
  readonly line: string;
  /** Folder of the checkout that the line runs in; '' is the top. */
  readonly folder?: string | undefined;
  /** Paths to look at, as the tree names them. */
  readonly files?: readonly string[];
  readonly timeoutMs: number;
  /** Whether the line tests changed copies of the code. */
  readonly mutatesCode?: boolean;
}

/** Runs a line on a tree, in a checkout of its own, and reads what it left. */
export async function runMeasurement(tree: string, options: RunMeasurementOptions): Promise<MeasurementRun> {
  const { sandboxes, line, folder = '', files = [], timeoutMs, mutatesCode = false } = options;
  const sandbox = await (mutatesCode ? sandboxes.createMutationSandbox(tree) : sandboxes.createSandbox(tree));
  const list = await sandbox.writePathList(files);
  const ran = await sandbox.run(
    {
      line: `${buildEnterFolderLine(folder)}export REPORT="$TMPDIR/assay-report"; mapfile -d '' -t ASSAY_FILES < "$ASSAY_LIST"; set -- "\${ASSAY_FILES[@]}"; ${line}`,
    },
    timeoutMs,
    { ASSAY_LIST: list },
  );
  const { outcome, detail } = classifyProcessResult(ran);
  const text = await readReportFile(join(sandbox.tmpFolder, 'assay-report')).catch(() => null);
  return {
    reportText: ran.end === 'exited' ? text : null,
    outcome,
    detail,
    exitCode: ran.exitCode,
    checkoutRoot: sandbox.checkoutRoot,
  };
}

/** A command of the configuration, which prints its result. */
export const buildWriteOutputToReportLine = (command: string): string => `{ ${command}\n} > "$REPORT"`;

/** The result of a gate that could not measure. */
export const createFailedMeasurementResult = (
  { outcome, detail }: Pick<MeasurementRun, 'outcome' | 'detail'>,
  facts: GateResult['facts'] = {},
): GateResult => ({
  outcome: outcome === 'passed' ? 'could_not_run' : outcome,
  kind: 'executed',
  findings: [],
  detail: outcome === 'passed' ? `left no result that can be read (${detail})` : detail,
  facts,
});
