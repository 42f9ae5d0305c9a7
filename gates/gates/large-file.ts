import * as z from 'zod';
import { readThreadCpuMs } from '../../workspace/process/cpu-time.ts';
import type { Gate } from '../core/gate.ts';
import { toEvidenceFindings } from '../core/gate-finding.ts';
import { NO_RULE_SETTINGS } from '../core/rule-settings.ts';
import { createRuleLevelLookup, describeWeakenedRules } from '../rules/framework/rule-levels.ts';
import { LARGE_FILE_LIMITS, LARGE_FILE_RULES } from '../rules/large-file/rules.ts';

const settings = {
  large_file_check: z.boolean().optional(),
  /** Lines that a text may have. */
  large_file_threshold: z.number().int().min(1).max(1_000_000).default(LARGE_FILE_LIMITS.lines),
  /** Bytes that a file may have, whatever it holds. */
  large_file_bytes: z.number().int().min(1).default(LARGE_FILE_LIMITS.bytes),
};
const Settings = z.object(settings);

/** Files that the patch makes, or leaves, larger than people like to read. They are listed, and never a reason to block. */
export const largeFileGate: Gate = {
  name: 'large_file',
  configKey: 'large_file_check',
  enabledByDefault: false,
  required: false,
  condition: 'any_changed',
  settings,
  run: async ({ subject, timeoutMs, ruleSettings = NO_RULE_SETTINGS }, given) => {
    const { large_file_threshold: lines, large_file_bytes: bytes } = Settings.parse(given);
    const [{ findLargeFiles, measureChangedFileSizes }, { applyRuleLevels }] = await Promise.all([
      import('../rules/large-file/file-sizes.ts'),
      import('../rules/framework/run-rules.ts'),
    ]);
    const { measured, timedOut } = await measureChangedFileSizes(subject, readThreadCpuMs() + timeoutMs);
    const large = applyRuleLevels(
      findLargeFiles(measured, { lines, bytes }),
      LARGE_FILE_RULES,
      createRuleLevelLookup(ruleSettings),
    );
    return {
      // Never `failed`: a pipeline that requires this gate would block on it, and a long file is not a wrong one.
      outcome: timedOut ? 'timed_out' : 'passed',
      kind: 'checked',
      detail:
        large.length === 0
          ? `none of ${measured.length} files is over ${lines} lines or ${bytes} bytes`
          : `${large.length} of ${measured.length} files over ${lines} lines or ${bytes} bytes`,
      findings: toEvidenceFindings(large),
      facts: {
        large_files: large.length,
        files_measured: measured.length,
        ...describeWeakenedRules(LARGE_FILE_RULES, ruleSettings),
      },
    };
  },
};
