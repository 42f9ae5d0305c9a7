import * as z from 'zod';
import type { Gate } from './gate.ts';

const settings = {
  large_file_check: z.boolean().optional(),
  /** Lines that a text may have. */
  large_file_threshold: z.number().int().min(1).max(1_000_000).default(500),
  /** Bytes that a binary file may have. */
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
    const { measureChanges } = await import('./large-file/measure.ts');
    const { measured, timedOut } = await measureChanges(subject, performance.now() + timeoutMs);
    const large = measured.filter(({ after }) =>
      after.lines === null ? after.bytes > bytes : after.lines > lines,
    );
    return {
      // Never `failed`: a pipeline that requires this gate would block on it, and a long file is not a wrong one.
      outcome: timedOut ? 'timed_out' : 'passed',
      kind: 'checked_by_us',
      detail:
        large.length === 0
          ? `none of ${measured.length} files is over ${lines} lines, or ${bytes} bytes for a binary`
          : `${large.length} of ${measured.length} files over ${lines} lines, or ${bytes} bytes for a binary`,
      findings: large.map(({ path, before, after }) => {
        const unit = after.lines === null ? 'bytes' : 'lines';
        const was = before?.[unit] ?? null;
        const limit = after.lines === null ? bytes : lines;
        return {
          file: path,
          line: null,
          rule: was !== null && was > limit ? 'large_file_before' : 'large_file',
          message: `has ${after[unit]} ${unit}${was === null ? '' : `, had ${was}`}`,
        };
      }),
      metadata: { large_files: large.length, files_measured: measured.length },
    };
  },
};
