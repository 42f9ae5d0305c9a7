import * as z from 'zod';
import { ownCpuMs } from '../../workspace/process/cpu-time.ts';
import type { Gate } from '../core/gate.ts';
import { NO_SETTINGS } from '../core/rule-settings.ts';
import { asFindings } from '../core/seen.ts';
import { levelsOf, weakenedFacts } from '../rules/framework/levels.ts';
import { LARGE_RULES, LIMITS } from '../rules/large-file/rules.ts';

const settings = {
  large_file_check: z.boolean().optional(),
  /** Lines that a text may have. */
  large_file_threshold: z.number().int().min(1).max(1_000_000).default(LIMITS.lines),
  /** Bytes that a file may have, whatever it holds. */
  large_file_bytes: z.number().int().min(1).default(LIMITS.bytes),
};
const Settings = z.object(settings);

/** Files that the patch makes, or leaves, larger than people like to read. They are listed, and never a reason to block. */
export const largeFile: Gate = {
  name: 'large_file',
  flag: 'large_file_check',
  on: false,
  required: false,
  condition: 'any_changed',
  settings,
  run: async ({ subject, timeoutMs, rules = NO_SETTINGS }, given) => {
    const { large_file_threshold: lines, large_file_bytes: bytes } = Settings.parse(given);
    const [{ largeSeen, measureChanges }, { levelled }] = await Promise.all([
      import('../rules/large-file/measure.ts'),
      import('../rules/framework/findings.ts'),
    ]);
    const { measured, timedOut } = await measureChanges(subject, ownCpuMs() + timeoutMs);
    const large = levelled(largeSeen(measured, { lines, bytes }), LARGE_RULES, levelsOf(rules));
    return {
      // Never `failed`: a pipeline that requires this gate would block on it, and a long file is not a wrong one.
      outcome: timedOut ? 'timed_out' : 'passed',
      kind: 'checked_by_us',
      detail:
        large.length === 0
          ? `none of ${measured.length} files is over ${lines} lines or ${bytes} bytes`
          : `${large.length} of ${measured.length} files over ${lines} lines or ${bytes} bytes`,
      findings: asFindings(large),
      metadata: {
        large_files: large.length,
        files_measured: measured.length,
        ...weakenedFacts(LARGE_RULES, rules),
      },
    };
  },
};
