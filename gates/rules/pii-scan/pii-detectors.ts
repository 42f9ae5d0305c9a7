import { createDetector, type DetectionPattern } from '../scan/detection-pattern.ts';
import type { Detector } from '../scan/detector.ts';
import { buildSecretAssignmentPatterns } from './assignment-patterns.ts';
import { buildConnectionSecretPatterns } from './connection-patterns.ts';
import { PERSONAL_DATA_PATTERNS } from './personal-data-patterns.ts';
import { buildSecretlintDetectors } from './secretlint.ts';
import { buildTokenPatterns } from './token-patterns.ts';
import { buildUnquotedValuePatterns } from './unquoted-value-patterns.ts';

/** The rules that are ours. */
export const buildPiiPatterns = (prefixes: readonly string[]): DetectionPattern[] => [
  ...buildTokenPatterns(prefixes),
  ...buildSecretAssignmentPatterns(prefixes),
  ...buildUnquotedValuePatterns(prefixes),
  ...buildConnectionSecretPatterns(prefixes),
  ...PERSONAL_DATA_PATTERNS,
];

/** Beginnings of values that are no secrets, when the configuration names none. */
const NO_SECRETS = ['FAKE', 'TEST', 'EXAMPLE', 'DUMMY', 'PLACEHOLDER', 'LOCALHOST'] as const;

/** Everything that the gate looks for. @param prefixes beginnings of values that are no secrets. */
export const buildPiiDetectors = (prefixes: readonly string[] = NO_SECRETS): Detector[] => [
  ...buildPiiPatterns(prefixes).map(createDetector),
  ...buildSecretlintDetectors(prefixes),
];
