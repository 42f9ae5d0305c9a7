import { buildProprietaryPatterns } from '../dlp-scan/proprietary-patterns.ts';
import { buildRegulatedDataPatterns } from '../dlp-scan/regulated-data-patterns.ts';
import { buildPiiDetectors } from '../pii-scan/pii-detectors.ts';
import { createDetector } from '../scan/detection-pattern.ts';
import { ContentScanner } from '../scan/scanner.ts';

let scanner: ContentScanner | null = null;

/** A scanner for everything that must not be shown, whichever gate looks for it. Nothing is allowed here. Made once, when needed. */
export function getAllSecretsScanner(): ContentScanner {
  scanner ??= new ContentScanner([
    ...buildPiiDetectors([]),
    ...[...buildRegulatedDataPatterns([]), ...buildProprietaryPatterns([], [])].map(createDetector),
  ]);
  return scanner;
}
