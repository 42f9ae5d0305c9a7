import { parseTestCases } from '../../code/cases/find-test-cases.ts';
import type { TestCase } from '../../code/cases/test-case.ts';
import { type ChangedFileText, readChangedFileTexts } from '../../core/changed-texts.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import type { RuleLevel } from '../../core/rule-settings.ts';
import type { PatchView, Rule, RuleMetadata } from './rule.ts';
import { pickLowerRuleLevel } from './rule-levels.ts';

type LevelOf = (
  card: Pick<RuleMetadata, 'id' | 'default' | 'levelInExpectedFiles'>,
  file: string,
) => RuleLevel;

/** The patch as rules see it. Trees are read once for all of them. */
export async function createPatchForRules(
  subject: Pick<PatchToCheck, 'store' | 'base' | 'patched' | 'changes'>,
  required: readonly string[],
  wanted: (path: string) => boolean = () => true,
): Promise<PatchView> {
  const { store, base, patched, changes } = subject;
  const { texts, unreadablePaths } = await readChangedFileTexts(subject, wanted);
  const known = new Map<string, Promise<readonly TestCase[]>>();
  const readings = new Map<unknown, Promise<unknown>>();
  const view: PatchView = {
    store,
    base,
    patched,
    changes,
    changedTexts: texts,
    unreadableFiles: unreadablePaths,
    requiredGates: required,
    readTestCases: (text: ChangedFileText, side) => {
      const path = side === 'before' ? (text.basePath ?? text.path) : text.path;
      const content = text[side];
      if (content === null) return Promise.resolve([]);
      const key = `${side}\0${path}`;
      const there = known.get(key) ?? parseTestCases(path, content).then((cases) => cases ?? []);
      known.set(key, there);
      return there;
    },
    readOnce: <T>(reading: (patch: PatchView) => Promise<T>): Promise<T> => {
      // The only writer of this key is this line, with a promise of the same type.
      const there = (readings.get(reading) as Promise<T> | undefined) ?? reading(view);
      readings.set(reading, there);
      return there;
    },
  };
  return view;
}

/** What rules find in a patch, each at its level. */
export async function runRules(
  rules: readonly Rule[],
  patch: PatchView,
  levelOf: LevelOf = (rule) => rule.default,
): Promise<GateFinding[]> {
  const seen: GateFinding[] = [];
  for (const rule of rules)
    for (const { level = rule.default, isPreexisting = false, ...found } of await rule.find(patch)) {
      const said = pickLowerRuleLevel(levelOf(rule, found.file), level);
      if (said !== 'off') seen.push({ ...found, rule: rule.id, severity: isPreexisting ? 'existing' : said });
    }
  return seen;
}

/** What a reading saw, each at the level of its rule in its file, or below where the rule itself has doubts. */
export function applyRuleLevels(
  seen: readonly GateFinding[],
  cards: readonly RuleMetadata[],
  levelOf: LevelOf,
): GateFinding[] {
  const known = new Map(cards.map((card) => [card.id, card]));
  return seen.flatMap((each) => {
    const card = known.get(each.rule);
    if (!card) return [each];
    const level = levelOf(card, each.file ?? '');
    if (each.severity === 'existing') return level === 'off' ? [] : [each];
    const said = pickLowerRuleLevel(level, each.severity);
    return said === 'off' ? [] : [{ ...each, severity: said }];
  });
}
