import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView, Rule } from '../framework/rule.ts';
import { createRuleFamily } from '../framework/rule-family.ts';

/** Lines that a text, and bytes that a file may have where nothing else is set. */
export const LARGE_FILE_LIMITS = { lines: 500, bytes: 1_048_576 } as const;

async function collectFindings(patch: PatchView): Promise<readonly GateFinding[]> {
  const { findLargeFiles, measureChangedFileSizes } = await import('./file-sizes.ts');
  return findLargeFiles(
    (await measureChangedFileSizes(patch, readThreadCpuMs() + 60_000)).measured,
    LARGE_FILE_LIMITS,
  );
}

const BASE = { 'a.py': 'a = 1\n' };
const long = (lines: number): string => 'a = 1\n'.repeat(lines);

/** Rules of the gate `large_file`. */
export const LARGE_FILE_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  {
    id: 'large_file',
    default: 'info',
    languages: 'all',
    summary: 'a file is larger than people like to read',
    rationale:
      'What is too long to be read is not reviewed; it is listed, since a long file is not a wrong one.',
    invalidExamples: [{ name: 'a text of 600 lines', before: BASE, after: { 'b.py': long(600) } }],
    validExamples: [
      { name: 'a text of 100 lines', before: BASE, after: { 'b.py': long(100) } },
      { name: 'a lock of dependencies', before: BASE, after: { 'package-lock.json': long(600) } },
    ],
  },
  {
    id: 'large_file_before',
    default: 'info',
    languages: 'all',
    summary: 'a file that was too large is changed, and still is',
    rationale:
      'The patch has not made it so; it is listed, since here would be an occasion to take it apart.',
    invalidExamples: [
      { name: 'a line more in a text of 600', before: { 'b.py': long(600) }, after: { 'b.py': long(601) } },
    ],
    validExamples: [
      {
        name: 'a text that is cut to 100 lines',
        before: { 'b.py': long(600) },
        after: { 'b.py': long(100) },
      },
    ],
  },
]);
