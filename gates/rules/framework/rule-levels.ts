import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import { compilePathFilter } from '../../../shared/lib/glob/glob.ts';
import {
  RULE_LEVELS,
  type RuleLevel,
  type RuleSetting,
  type RuleSettings,
} from '../../core/rule-settings.ts';
import type { RuleMetadata } from './rule.ts';

const DAY_MS = 86_400_000;
const endOf = (until: string): number => Date.parse(until) + (until.includes('T') ? 0 : DAY_MS);

/** Tells settings that hold from those whose time is up: these count no more, and are named in the evidence. */
export const splitExpiredRuleSettings = (settings: readonly RuleSetting[], now: Date): RuleSettings => {
  const isOver = ({ expires }: RuleSetting): boolean => expires !== null && now.getTime() >= endOf(expires);
  return { active: settings.filter((each) => !isOver(each)), expired: settings.filter(isOver) };
};

export const isLowerRuleLevel = (level: RuleLevel, than: RuleLevel): boolean =>
  RULE_LEVELS.indexOf(level) < RULE_LEVELS.indexOf(than);

/** The lower of two levels. */
export const pickLowerRuleLevel = (a: RuleLevel, b: RuleLevel): RuleLevel => (isLowerRuleLevel(a, b) ? a : b);

/** The level of a rule in a file: the last setting for it counts, one with paths before one without. */
export function createRuleLevelLookup({
  active,
}: RuleSettings): (rule: Pick<RuleMetadata, 'id' | 'default'>, file: string) => RuleLevel {
  const tests = active.map((each) => ({
    ...each,
    holds: each.paths === null ? null : compilePathFilter(each.paths),
  }));
  return (rule, file) => {
    const own = tests.filter(({ id }) => id === rule.id);
    const found = own.findLast(({ holds }) => holds?.(file)) ?? own.findLast(({ holds }) => holds === null);
    return found?.level ?? rule.default;
  };
}

/** The level of a rule in a file, where a task foresees that these files which steer checks change. */
export const createTaskRuleLevelLookup =
  (foreseen: ReadonlySet<string>, levelOf: ReturnType<typeof createRuleLevelLookup>) =>
  (rule: Pick<RuleMetadata, 'id' | 'default' | 'levelInExpectedFiles'>, file: string): RuleLevel =>
    rule.levelInExpectedFiles !== undefined && foreseen.has(file)
      ? pickLowerRuleLevel(rule.levelInExpectedFiles, levelOf(rule, file))
      : levelOf(rule, file);

/** The level that is set for a rule in a file; null where none is. */
export function createConfiguredRuleLevelLookup(
  settings: RuleSettings,
): (id: string, file: string) => RuleLevel | null {
  const levelOf = createRuleLevelLookup(settings);
  return (id, file) => {
    const [a, b] = [levelOf({ id, default: 'off' }, file), levelOf({ id, default: 'error' }, file)];
    return a === b ? a : null;
  };
}

/** For the evidence: which rules of a gate were weakened, by which reason and until when, and which would have been. */
export function describeWeakenedRules(
  cards: readonly RuleMetadata[],
  settings: RuleSettings,
): GateEvidence['facts'] {
  const told = (these: readonly RuleSetting[]): string =>
    these
      .filter(({ id, weakened }) => weakened && cards.some((card) => card.id === id))
      .map(
        ({ id, level, paths, reason, expires }) =>
          `${id}: ${level}${paths ? ` in ${paths.join(' ')}` : ''} until ${expires}: ${reason}`,
      )
      .join('; ')
      .slice(0, 1_000);
  const [now, past] = [told(settings.active), told(settings.expired)];
  return { ...(now && { rules_weakened: now }), ...(past && { rules_expired: past }) };
}
