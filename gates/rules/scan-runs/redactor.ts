import { buildProprietaryPatterns } from '../dlp-scan/proprietary.ts';
import { buildRegulatedDataPatterns } from '../dlp-scan/regulated.ts';
import { buildPiiDetectors } from '../pii-scan/detectors.ts';
import { createDetector } from '../scan/rule.ts';
import { Scanner } from '../scan/scanner.ts';

let scanner: Scanner | null = null;

/** A scanner for everything that must not be shown, whichever gate looks for it. Nothing is allowed here. Made once, when needed. */
export function getAllSecretsScanner(): Scanner {
  scanner ??= new Scanner([
    ...buildPiiDetectors([]),
    ...[...buildRegulatedDataPatterns([]), ...buildProprietaryPatterns([], [])].map(createDetector),
  ]);
  return scanner;
}
