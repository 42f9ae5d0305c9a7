import { family } from '../family.ts';
import type { PatchView, Rule } from '../rule.ts';
import { INTERNAL } from './rules/internal.ts';
import { LICENSES } from './rules/licenses.ts';
import { REGULATED } from './rules/regulated.ts';

async function reading(patch: PatchView) {
  const [{ scanSeen }, { Scanner }, { dlpDetectors }, { ownLicense }] = await Promise.all([
    import('../scan/reading.ts'),
    import('../scan/scanner.ts'),
    import('./detectors.ts'),
    import('./own.ts'),
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
