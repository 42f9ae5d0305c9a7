import type { TestCase } from '../code/cases/model.ts';
import { casesIn } from '../code/cases/read.ts';
import type { Seen, Weight } from '../code/seen.ts';
import { lower } from '../rules/levels.ts';
import type { Level, PatchView, Rule } from '../rules/rule.ts';
import { type ChangedText, changedTexts } from './changed-texts.ts';
import type { Subject } from './subject.ts';

export const WEIGHTS: Readonly<Record<Exclude<Level, 'off'>, Weight>> = {
  report: 'reported',
  hold: 'unclear',
  block: 'fails',
};

/** The patch as rules see it. Trees are read once for all of them. */
export async function patchView(
  subject: Pick<Subject, 'store' | 'base' | 'patched' | 'changes'>,
  required: readonly string[],
): Promise<PatchView> {
  const { texts } = await changedTexts(subject, () => true);
  const known = new Map<string, Promise<readonly TestCase[]>>();
  return {
    store: subject.store,
    changes: subject.changes,
    texts,
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
  };
}

/** What rules find in a patch, each at its level. */
export async function findingsOf(
  rules: readonly Rule[],
  patch: PatchView,
  levelOf: (rule: Rule, file: string) => Level = (rule) => rule.default,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const rule of rules)
    for (const { file, line, message, level = null } of await rule.find(patch)) {
      const set = levelOf(rule, file);
      const said = level !== null && set !== 'off' && level !== 'off' ? lower(set, level) : set;
      if (said !== 'off') seen.push({ file, line, rule: rule.id, message, weight: WEIGHTS[said] });
    }
  return seen;
}
