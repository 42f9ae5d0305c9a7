import { createDetector, type DetectionPattern } from '../scan/detection-pattern.ts';
import type { Detector } from '../scan/detector.ts';
import { DLP_CATEGORIES, type DlpCategory } from './dlp-category.ts';
import { buildLicensePatterns } from './license-patterns.ts';
import type { ProjectLicense } from './project-license.ts';
import { buildProprietaryPatterns } from './proprietary-patterns.ts';
import { buildRegulatedDataPatterns } from './regulated-data-patterns.ts';

export interface DlpDetectorOptions {
  readonly projectLicense: ProjectLicense;
  /** Beginnings of values that are nobody's. */
  readonly allowedPrefixes?: readonly string[] | undefined;
  /** Names of internal machines, with `*` for one label. */
  readonly internalHosts?: readonly string[];
}

/** Beginnings of values that are nobody's, when the configuration names none. */
const NOBODYS = ['FAKE', 'TEST', 'EXAMPLE', 'DUMMY', 'PLACEHOLDER', 'MOCK', 'SAMPLE'] as const;

/** The rules of each category. */
export const buildDlpPatterns = ({
  projectLicense,
  allowedPrefixes = NOBODYS,
  internalHosts = [],
}: DlpDetectorOptions): Record<DlpCategory, DetectionPattern[]> => ({
  license: buildLicensePatterns(projectLicense),
  regulated: buildRegulatedDataPatterns(allowedPrefixes),
  proprietary: buildProprietaryPatterns(allowedPrefixes, internalHosts),
});

/** Everything that the gate looks for, and which category a rule belongs to. */
export function buildDlpDetectors(options: DlpDetectorOptions): {
  readonly detectors: readonly Detector[];
  readonly categoryOf: (rule: string) => DlpCategory;
} {
  const rules = buildDlpPatterns(options);
  const categories = new Map<string, DlpCategory>();
  for (const category of DLP_CATEGORIES)
    for (const { rule } of rules[category]) categories.set(rule, category);
  return {
    detectors: Object.values(rules).flat().map(createDetector),
    categoryOf: (rule) => categories.get(rule) ?? 'proprietary',
  };
}
