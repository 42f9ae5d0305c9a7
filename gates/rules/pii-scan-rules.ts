import type { PatchView, Rule } from './framework/rule.ts';
import { createRuleFamily } from './framework/rule-family.ts';
import { NAMED_SECRET_RULES } from './pii-scan/rules/named-secrets.ts';
import { PERSONAL_DATA_RULES } from './pii-scan/rules/personal-data.ts';
import { TOKEN_RULES } from './pii-scan/rules/tokens.ts';
import type { ContentScanner } from './scan/scanner.ts';

let ready: Promise<ContentScanner> | null = null;
const scanner = async (): Promise<ContentScanner> => {
  const [{ ContentScanner }, { buildPiiDetectors }] = await Promise.all([
    import('./scan/scanner.ts'),
    import('./pii-scan/pii-detectors.ts'),
  ]);
  return new ContentScanner(buildPiiDetectors());
};

async function collectFindings(patch: PatchView) {
  const { findScanFindings } = await import('./scan-runs/scan-findings.ts');
  ready ??= scanner();
  return findScanFindings(patch, await ready, (_rule, severity) => severity !== 'medium');
}

/** Rules of the gate `pii_scan` that are ours; those of secretlint's preset are secretlint's. */
export const PII_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  ...TOKEN_RULES,
  ...NAMED_SECRET_RULES,
  ...PERSONAL_DATA_RULES,
]);
