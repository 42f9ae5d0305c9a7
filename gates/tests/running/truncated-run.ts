import type { ProcessResult } from '../../../workspace/process/run-process.ts';

const STARTS = /^running \d{1,9} tests?\r?$/gm;
const ENDS = /^test result: /gm;

/**
 * Why a run that ended well did not come to its end; null where nothing tells. A test program of Rust says how many tests it is
 * going to run, and then what came of them: code that ends the process well leaves the second out.
 */
export function truncatedRunReason({
  output,
  truncatedBytes,
}: Pick<ProcessResult, 'output' | 'truncatedBytes'>): string | null {
  if (truncatedBytes > 0) return null;
  const started = output.match(STARTS)?.length ?? 0;
  const ended = output.match(ENDS)?.length ?? 0;
  return started > ended
    ? `a test program ended with exit 0 in the middle: ${ended} of ${started} told what came of their tests`
    : null;
}
