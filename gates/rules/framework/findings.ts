import type { TestCase } from '../../code/cases/model.ts';
import { casesIn } from '../../code/cases/read.ts';
import { type ChangedText, changedTexts } from '../../core/changed-texts.ts';
import type { Level } from '../../core/rule-settings.ts';
import type { Seen, Weight } from '../../core/seen.ts';
import type { Subject } from '../../core/subject.ts';
import { lower } from './levels.ts';
import type { PatchView, Rule, RuleCard } from './rule.ts';

const WEIGHTS: Readonly<Record<Exclude<Level, 'off'>, Weight>> = {
  report: 'reported',
  hold: 'unclear',
  block: 'fails',
};

const OWN: Readonly<Record<Exclude<Weight, 'before'>, Level>> = {
  fails: 'block',
  unclear: 'hold',
  reported: 'report',
};

type LevelOf = (card: Pick<RuleCard, 'id' | 'default' | 'foreseen'>, file: string) => Level;

/** The patch as rules see it. Trees are read once for all of them. */
export async function patchView(
  subject: Pick<Subject, 'store' | 'base' | 'patched' | 'changes'>,
  required: readonly string[],
  wanted: (path: string) => boolean = () => true,
): Promise<PatchView> {
  const { store, base, patched, changes } = subject;
  const { texts, unread } = await changedTexts(subject, wanted);
  const known = new Map<string, Promise<readonly TestCase[]>>();
  const readings = new Map<unknown, Promise<unknown>>();
  const view: PatchView = {
    store,
    base,
    patched,
    changes,
    texts,
    unread,
    required,
    cases: (text: ChangedText, side) => {
      const path = side === 'before' ? (text.from ?? text.path) : text.path;
      const content = text[side];
      if (content === null) return Promise.resolve([]);
      const key = `${side}\0${path}`;
      const there = known.get(key) ?? casesIn(path, content).then((cases) => cases ?? []);
      known.set(key, there);
      return there;
    },
    read: <T>(reading: (patch: PatchView) => Promise<T>): Promise<T> => {
      // The only writer of this key is this line, with a promise of the same type.
      const there = (readings.get(reading) as Promise<T> | undefined) ?? reading(view);
      readings.set(reading, there);
      return there;
    },
  };
  return view;
}

/** What rules find in a patch, each at its level. */
export async function findingsOf(
  rules: readonly Rule[],
  patch: PatchView,
  levelOf: LevelOf = (rule) => rule.default,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const rule of rules)
    for (const { level = rule.default, before = false, ...found } of await rule.find(patch)) {
      const said = lower(levelOf(rule, found.file), level);
      if (said !== 'off') seen.push({ ...found, rule: rule.id, weight: before ? 'before' : WEIGHTS[said] });
    }
  return seen;
}

/** What a reading saw, each at the level of its rule in its file, or below where the rule itself has doubts. */
export function levelled(seen: readonly Seen[], cards: readonly RuleCard[], levelOf: LevelOf): Seen[] {
  const known = new Map(cards.map((card) => [card.id, card]));
  return seen.flatMap((each) => {
    const card = known.get(each.rule);
    if (!card) return [each];
    const level = levelOf(card, each.file ?? '');
    if (each.weight === 'before') return level === 'off' ? [] : [each];
    const said = lower(level, OWN[each.weight]);
    return said === 'off' ? [] : [{ ...each, weight: WEIGHTS[said] }];
  });
}
