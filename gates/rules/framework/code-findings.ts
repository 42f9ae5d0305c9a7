import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import { type PatchCode, readPatchCode } from '../../code/patch-code.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView } from './rule.ts';

/** How long the examples of a rule may take, in milliseconds; gates have limits of their own. */
const LIMIT_MS = 60_000;

/** Reads the code of both sides for rules that need more than the changed texts. */
export async function collectCodeFindings(
  patch: PatchView,
  look: (code: PatchCode) => Promise<readonly GateFinding[]>,
): Promise<readonly GateFinding[]> {
  const code = await readPatchCode(patch, readThreadCpuMs() + LIMIT_MS);
  return code.changed.length === 0 ? [] : look(code);
}
