import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import { IgnoredValuePrefixesSetting, ScanPathsSetting } from '../rules/scan/scan-settings.ts';

const settings = {
  pii_scan: z.boolean().optional(),
  /** Folders, files or globs to look in; absent: everywhere. */
  pii_scan_paths: ScanPathsSetting.optional(),
  pii_ignore_paths: ScanPathsSetting.optional(),
  pii_allowlist_prefixes: IgnoredValuePrefixesSetting.optional(),
};
const Settings = z.object(settings);

/** Secrets and personal data that a patch adds. Secrets fail it; what is merely about a person is reported. */
export const piiScanGate: Gate = {
  name: 'pii_scan',
  configKey: 'pii_scan',
  enabledByDefault: true,
  required: true,
  condition: 'any_changed',
  settings,
  run: async (context, given) => {
    const { pii_scan_paths, pii_ignore_paths, pii_allowlist_prefixes } = Settings.parse(given);
    // Its rules take some time to load and to make ready; a box that does not scan need not wait for that.
    const [{ runPatchScanGate }, { buildPiiDetectors }, { PII_RULES }] = await Promise.all([
      import('../rules/scan-runs/run-scan.ts'),
      import('../rules/pii-scan/pii-detectors.ts'),
      import('../rules/pii-scan-rules.ts'),
    ]);
    return runPatchScanGate(context, {
      // An empty list is an answer too: no beginning makes a value harmless.
      detectors: buildPiiDetectors(pii_allowlist_prefixes),
      rules: PII_RULES,
      paths: pii_scan_paths ?? [],
      ignorePaths: pii_ignore_paths ?? [],
      isError: ({ severity }) => severity !== 'medium',
    });
  },
};
