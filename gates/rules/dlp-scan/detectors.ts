import type { Detector } from '../scan/detector.ts';
import { detector, type Rule } from '../scan/rule.ts';
import { CATEGORIES, type Category } from './category.ts';
import { licenseRules } from './licenses.ts';
import type { Own } from './own.ts';
import { proprietaryRules } from './proprietary.ts';
import { regulatedRules } from './regulated.ts';

export interface DlpOptions {
  readonly own: Own;
  /** Beginnings of values that are nobody's. */
  readonly prefixes?: readonly string[] | undefined;
  /** Names of internal machines, with `*` for one label. */
  readonly hosts?: readonly string[];
}

/** Beginnings of values that are nobody's, when the configuration names none. */
const NOBODYS = ['FAKE', 'TEST', 'EXAMPLE', 'DUMMY', 'PLACEHOLDER', 'MOCK', 'SAMPLE'] as const;

/** The rules of each category. */
export const dlpRules = ({ own, prefixes = NOBODYS, hosts = [] }: DlpOptions): Record<Category, Rule[]> => ({
  license: licenseRules(own),
  regulated: regulatedRules(prefixes),
  proprietary: proprietaryRules(prefixes, hosts),
});

/** Everything that the gate looks for, and which category a rule belongs to. */
export function dlpDetectors(options: DlpOptions): {
  readonly detectors: readonly Detector[];
  readonly categoryOf: (rule: string) => Category;
} {
  const rules = dlpRules(options);
  const categories = new Map<string, Category>();
  for (const category of CATEGORIES) for (const { rule } of rules[category]) categories.set(rule, category);
  return {
    detectors: Object.values(rules).flat().map(detector),
    categoryOf: (rule) => categories.get(rule) ?? 'proprietary',
  };
}
