import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView, Rule, RuleFinding } from './rule.ts';

/** One look at a patch that tells several rules at once. */
export type PatchFindingCollector = (patch: PatchView) => Promise<readonly GateFinding[]>;

/** A rule of a family: everything that it has of its own. */
export type RuleDefinition = Omit<Rule, 'find'>;

const toRuleFinding = ({ file, line, message, severity }: GateFinding): RuleFinding => ({
  file: file ?? '',
  line,
  message,
  level: severity === 'existing' ? 'info' : severity,
  isPreexisting: severity === 'existing',
});

/** Rules that share a reading: each takes from it what has its name. */
export const createRuleFamily = (reading: PatchFindingCollector, rows: readonly RuleDefinition[]): Rule[] =>
  rows.map((row) => ({
    ...row,
    find: async (patch) =>
      (await patch.readOnce(reading))
        .filter(({ rule }) => rule === row.id)
        .map((each) => toRuleFinding(each)),
  }));
