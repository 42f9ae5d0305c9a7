import { ownCpuMs } from '../../../workspace/process/cpu-time.ts';
import { type Code, codeOf } from '../../code/run.ts';
import type { Seen } from '../../core/seen.ts';
import type { PatchView } from './rule.ts';

/** How long the examples of a rule may take, in milliseconds; gates have limits of their own. */
const LIMIT_MS = 60_000;

/** Reads the code of both sides for rules that need more than the changed texts. */
export async function readingCode(
  patch: PatchView,
  look: (code: Code) => Promise<readonly Seen[]>,
): Promise<readonly Seen[]> {
  const code = await codeOf(patch, ownCpuMs() + LIMIT_MS);
  return code.changed.length === 0 ? [] : look(code);
}
