import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';
import type { Size } from '../rules/large-file/measure.ts';

const settings = {
  large_file_check: z.boolean().optional(),
  /** Lines that a text may have. */
  large_file_threshold: z.number().int().min(1).max(1_000_000).default(500),
  /** Bytes that a file may have, whatever it holds. */
  large_file_bytes: z.number().int().min(1).default(1_048_576),
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
  run: async ({ subject, timeoutMs }, given) => {
    const { large_file_threshold: lines, large_file_bytes: bytes } = Settings.parse(given);
    const { measureChanges } = await import('../rules/large-file/measure.ts');
    const { measured, timedOut } = await measureChanges(subject, performance.now() + timeoutMs);
    const isLong = (size: Size | null): boolean => (size?.lines ?? 0) > lines;
    const isBig = (size: Size | null): boolean => (size?.bytes ?? 0) > bytes;
    const large = measured.filter(({ after }) => isLong(after) || isBig(after));
    return {
      // Never `failed`: a pipeline that requires this gate would block on it, and a long file is not a wrong one.
      outcome: timedOut ? 'timed_out' : 'passed',
      kind: 'checked_by_us',
      detail:
        large.length === 0
          ? `none of ${measured.length} files is over ${lines} lines or ${bytes} bytes`
          : `${large.length} of ${measured.length} files over ${lines} lines or ${bytes} bytes`,
      findings: large.map(({ path, before, after }) => {
        // A text of few lines can be large all the same.
        const [unit, wasLarge] = isLong(after) ? (['lines', isLong] as const) : (['bytes', isBig] as const);
        const was = before?.[unit] ?? null;
        return {
          file: path,
          line: null,
          rule: wasLarge(before) ? 'large_file_before' : 'large_file',
          message: `has ${after[unit]} ${unit}${was === null ? '' : `, had ${was}`}`,
        };
      }),
      metadata: { large_files: large.length, files_measured: measured.length },
    };
  },
};
