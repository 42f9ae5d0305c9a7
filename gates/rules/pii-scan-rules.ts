import { family } from './framework/family.ts';
import type { PatchView, Rule } from './framework/rule.ts';
import { NAMED } from './pii-scan/rules/named.ts';
import { PERSONAL } from './pii-scan/rules/personal.ts';
import { TOKENS } from './pii-scan/rules/tokens.ts';
import type { Scanner } from './scan/scanner.ts';

let ready: Promise<Scanner> | null = null;
const scanner = async (): Promise<Scanner> => {
  const [{ Scanner }, { piiDetectors }] = await Promise.all([
    import('./scan/scanner.ts'),
    import('./pii-scan/detectors.ts'),
  ]);
  return new Scanner(piiDetectors());
};

async function reading(patch: PatchView) {
  const { scanSeen } = await import('./scan-runs/reading.ts');
  ready ??= scanner();
  return scanSeen(patch, await ready, (_rule, severity) => severity !== 'medium');
}

/** Rules of the gate `pii_scan` that are ours; those of secretlint's preset are secretlint's. */
export const PII_RULES: readonly Rule[] = family(reading, [...TOKENS, ...NAMED, ...PERSONAL]);
