import { LICENSE_RULES } from './dlp-scan/rules/licenses.ts';
import { PROPRIETARY_RULES } from './dlp-scan/rules/proprietary.ts';
import { REGULATED_DATA_RULES } from './dlp-scan/rules/regulated-data.ts';
import type { PatchView, Rule } from './framework/rule.ts';
import { createRuleFamily } from './framework/rule-family.ts';

async function collectFindings(patch: PatchView) {
  const [{ findScanFindings }, { ContentScanner }, { buildDlpDetectors }, { readProjectLicense }] =
    await Promise.all([
      import('./scan-runs/scan-findings.ts'),
      import('./scan/scanner.ts'),
      import('./dlp-scan/dlp-detectors.ts'),
      import('./dlp-scan/project-license.ts'),
    ]);
  const paths = patch.changes.map(({ path }) => path);
  const own = await readProjectLicense(patch.store, patch.base, paths);
  return findScanFindings(
    patch,
    new ContentScanner(buildDlpDetectors({ projectLicense: own }).detectors),
    (_rule, severity) => severity !== 'medium',
  );
}

/** Rules of the gate `dlp_scan`. */
export const DLP_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  ...REGULATED_DATA_RULES,
  ...LICENSE_RULES,
  ...PROPRIETARY_RULES,
]);
