import { readabilityOf } from '../../code/readable.ts';
import { lookAtCode } from '../../code/run.ts';
import { resultOf } from '../../code/seen.ts';
import type { GateContext, GateResult } from '../../engine/gate.ts';
import { cyclesSeen } from './cycles.ts';

/** What our own graph says about the patch. */
export const lookForCycles = (context: GateContext): Promise<GateResult> =>
  lookAtCode(context, async (project, changed) => {
    const { store, changes } = context.subject;
    const { graph, files } = project.head;
    const seen = [...(await readabilityOf(store, project, changed)), ...cyclesSeen(project, changes)];
    return resultOf(seen, `no new import cycle in ${files.code.size} files`, {
      files: files.code.size,
      // Whoever reads "no cycle" should know what nobody could follow.
      imports_unknown: graph.unknown.length,
    });
  });
