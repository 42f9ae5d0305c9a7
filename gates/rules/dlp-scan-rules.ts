import { INTERNAL } from './dlp-scan/rules/internal.ts';
import { LICENSES } from './dlp-scan/rules/licenses.ts';
import { REGULATED } from './dlp-scan/rules/regulated.ts';
import { family } from './framework/family.ts';
import type { PatchView, Rule } from './framework/rule.ts';

async function reading(patch: PatchView) {
  const [{ scanSeen }, { Scanner }, { dlpDetectors }, { ownLicense }] = await Promise.all([
    import('./scan-runs/reading.ts'),
    import('./scan/scanner.ts'),
    import('./dlp-scan/detectors.ts'),
    import('./dlp-scan/own.ts'),
  ]);
  const paths = patch.changes.map(({ path }) => path);
  const own = await ownLicense(patch.store, patch.base, paths);
  return scanSeen(
    patch,
    new Scanner(dlpDetectors({ own }).detectors),
    (_rule, severity) => severity !== 'medium',
  );
}

/** Rules of the gate `dlp_scan`. */
export const DLP_RULES: readonly Rule[] = family(reading, [...REGULATED, ...LICENSES, ...INTERNAL]);
