import type { Level } from '../../core/rule-settings.ts';
import type { Seen, Weight } from '../../core/seen.ts';
import type { Found, PatchView, Rule } from './rule.ts';

/** One look at a patch that tells several rules at once. */
export type Reading = (patch: PatchView) => Promise<readonly Seen[]>;

/** A rule of a family: everything that it has of its own. */
export type Row = Omit<Rule, 'find'>;

const OWN: Readonly<Record<Weight, Level>> = {
  fails: 'block',
  unclear: 'hold',
  reported: 'report',
  before: 'report',
};

const found = ({ file, line, message, weight }: Seen): Found => ({
  file: file ?? '',
  line,
  message,
  level: OWN[weight],
  before: weight === 'before',
});

/** Rules that share a reading: each takes from it what has its name. */
export const family = (reading: Reading, rows: readonly Row[]): Rule[] =>
  rows.map((row) => ({
    ...row,
    find: async (patch) =>
      (await patch.read(reading)).filter(({ rule }) => rule === row.id).map((each) => found(each)),
  }));
