import type { Detector } from '../scan/detector.ts';
import { detector, type Rule } from '../scan/rule.ts';
import { assignmentRules } from './assignments.ts';
import { connectionRules } from './connections.ts';
import { PERSONAL_RULES } from './personal.ts';
import { secretlintDetectors } from './secretlint.ts';
import { tokenRules } from './tokens.ts';
import { unquotedRules } from './unquoted.ts';

/** The rules that are ours. */
export const piiRules = (prefixes: readonly string[]): Rule[] => [
  ...tokenRules(prefixes),
  ...assignmentRules(prefixes),
  ...unquotedRules(prefixes),
  ...connectionRules(prefixes),
  ...PERSONAL_RULES,
];

/** Beginnings of values that are no secrets, when the configuration names none. */
const NO_SECRETS = ['FAKE', 'TEST', 'EXAMPLE', 'DUMMY', 'PLACEHOLDER', 'LOCALHOST'] as const;

/** Everything that the gate looks for. @param prefixes beginnings of values that are no secrets. */
export const piiDetectors = (prefixes: readonly string[] = NO_SECRETS): Detector[] => [
  ...piiRules(prefixes).map(detector),
  ...secretlintDetectors(prefixes),
];
