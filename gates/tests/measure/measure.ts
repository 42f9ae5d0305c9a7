import { join } from 'node:path';
import { outcomeOf } from '../../../workspace/process/outcome.ts';
import type { GateResult } from '../../core/gate.ts';
import type { Rooms } from '../../core/rooms.ts';
import { enter } from '../running/folders.ts';
import { readReport } from '../running/report-file.ts';

export interface Measured {
  /** What it left in `$REPORT`; null when it left nothing that can be read. */
  readonly text: string | null;
  readonly outcome: GateResult['outcome'];
  readonly detail: string;
  readonly exitCode: number | null;
  /** Real path of the checkout that it ran in. */
  readonly root: string;
}

export interface MeasureOptions {
  readonly rooms: Rooms;
  /** Line for `bash -c`. The report's file is `$REPORT`, the files are `"$@"`. */
  readonly line: string;
  /** Line that prepares the checkout; it runs in `folder`. */
  readonly setup?: string | null | undefined;
  /** Folder of the checkout that the line runs in; '' is the top. */
  readonly folder?: string | undefined;
  /** Paths to look at, as the tree names them. */
  readonly files?: readonly string[];
  readonly timeoutMs: number;
}

/** Runs a line on a tree, in a checkout of its own, and reads what it left. */
export async function measure(tree: string, options: MeasureOptions): Promise<Measured> {
  const { rooms, line, setup, folder = '', files = [], timeoutMs } = options;
  const room = await rooms.enter(tree);
  const list = await room.give(files);
  if (setup) {
    const ready = await room.run({ line: `${enter(folder)}${setup}` }, timeoutMs);
    const { outcome, detail } = outcomeOf(ready);
    if (outcome !== 'passed')
      return {
        text: null,
        outcome,
        detail: `set-up "${setup}": ${detail}`,
        exitCode: ready.exitCode,
        root: room.root,
      };
  }
  const ran = await room.run(
    {
      line: `${enter(folder)}export REPORT="$TMPDIR/assay-report"; mapfile -d '' -t ASSAY_FILES < "$ASSAY_LIST"; set -- "\${ASSAY_FILES[@]}"; ${line}`,
    },
    timeoutMs,
    { ASSAY_LIST: list },
  );
  const { outcome, detail } = outcomeOf(ran);
  const text = await readReport(join(room.tmp, 'assay-report')).catch(() => null);
  return {
    text: ran.end === 'exited' ? text : null,
    outcome,
    detail,
    exitCode: ran.exitCode,
    root: room.root,
  };
}

/** A command of the configuration, which prints its result. */
export const printing = (command: string): string => `{ ${command}\n} > "$REPORT"`;

/** The result of a gate that could not measure. */
export const unmeasured = (
  { outcome, detail }: Pick<Measured, 'outcome' | 'detail'>,
  metadata: GateResult['metadata'] = {},
): GateResult => ({
  outcome: outcome === 'passed' ? 'inert' : outcome,
  kind: 'executed_by_us',
  findings: [],
  detail: outcome === 'passed' ? `left no result that can be read (${detail})` : detail,
  metadata,
});
