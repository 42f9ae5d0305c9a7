import { proprietaryRules } from '../dlp-scan/proprietary.ts';
import { regulatedRules } from '../dlp-scan/regulated.ts';
import { piiDetectors } from '../pii-scan/detectors.ts';
import { detector } from '../scan/rule.ts';
import { Scanner } from '../scan/scanner.ts';

let scanner: Scanner | null = null;

/** A scanner for everything that must not be shown, whichever gate looks for it. Nothing is allowed here. Made once, when needed. */
export function everySecret(): Scanner {
  scanner ??= new Scanner([
    ...piiDetectors([]),
    ...[...regulatedRules([]), ...proprietaryRules([], [])].map(detector),
  ]);
  return scanner;
}
