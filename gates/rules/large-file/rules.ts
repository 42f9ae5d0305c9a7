import { ownCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { Seen } from '../../core/seen.ts';
import { family } from '../framework/family.ts';
import type { PatchView, Rule } from '../framework/rule.ts';

/** Lines that a text, and bytes that a file may have where nothing else is set. */
export const LIMITS = { lines: 500, bytes: 1_048_576 } as const;

async function reading(patch: PatchView): Promise<readonly Seen[]> {
  const { largeSeen, measureChanges } = await import('./measure.ts');
  return largeSeen((await measureChanges(patch, ownCpuMs() + 60_000)).measured, LIMITS);
}

const BASE = { 'a.py': 'a = 1\n' };
const long = (lines: number): string => 'a = 1\n'.repeat(lines);

/** Rules of the gate `large_file`. */
export const LARGE_RULES: readonly Rule[] = family(reading, [
  {
    id: 'large_file',
    default: 'report',
    languages: 'all',
    says: 'a file is larger than people like to read',
    why: 'What is too long to be read is not reviewed; it is listed, since a long file is not a wrong one.',
    caught: [{ name: 'a text of 600 lines', before: BASE, after: { 'b.py': long(600) } }],
    honest: [
      { name: 'a text of 100 lines', before: BASE, after: { 'b.py': long(100) } },
      { name: 'a lock of dependencies', before: BASE, after: { 'package-lock.json': long(600) } },
    ],
  },
  {
    id: 'large_file_before',
    default: 'report',
    languages: 'all',
    says: 'a file that was too large is changed, and still is',
    why: 'The patch has not made it so; it is listed, since here would be an occasion to take it apart.',
    caught: [
      { name: 'a line more in a text of 600', before: { 'b.py': long(600) }, after: { 'b.py': long(601) } },
    ],
    honest: [
      {
        name: 'a text that is cut to 100 lines',
        before: { 'b.py': long(600) },
        after: { 'b.py': long(100) },
      },
    ],
  },
]);
