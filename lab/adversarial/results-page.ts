import { readFileSync, writeFileSync } from 'node:fs';
import type { AdversarialCase } from './adversarial-case.ts';
import { summarizeCorpusRun } from './corpus-report.ts';
import { DETECTION_KINDS } from './detection-kinds.ts';
import type { JudgedPatch } from './run-corpus.ts';

const BEGIN = '<!-- figures of the corpus: written by `npm run adversarial -- --write` -->';
const END = '<!-- end of figures of the corpus -->';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const middle = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.floor(sorted.length / 2)];
  return value === undefined ? '–' : value.toFixed(1);
};

/** Per class what catches it, what it costs, and what gets through. */
function byClass(judged: readonly JudgedPatch[]): string {
  const { classes, all } = summarizeCorpusRun(judged);
  const rows = [...classes, all].map((rates) => {
    const of = judged.filter((each) => rates.class === 'all' || each.class === rates.class);
    const caught = of.filter(({ honest, outcome }) => !honest && outcome === 'caught');
    const known = of.filter(({ honest, outcome }) => !honest && outcome !== 'caught').length;
    return [
      rates.class,
      `${rates.caught} of ${rates.cases}`,
      ...DETECTION_KINDS.map((kind) =>
        String(caught.filter(({ kinds }) => kinds.includes(kind)).length || '–'),
      ),
      String(known || '–'),
      `${rates.twins - rates.blocked} of ${rates.twins}`,
      middle(of.map(({ seconds }) => seconds)),
    ];
  });
  return table(['Class', 'Caught', ...DETECTION_KINDS, 'Gets through', 'Honest pass', 'Median s'], rows);
}

/** What each rule, gate or run earned: how many it held, how many of them nothing else did, and honest patches that it held. */
function byRule(judged: readonly JudgedPatch[]): string {
  const held = judged.filter(({ honest, outcome }) => !honest && outcome === 'caught');
  const honest = judged.filter((each) => each.honest && each.outcome !== 'passed');
  const count = (of: readonly JudgedPatch[], rule: string): number =>
    of.filter(({ by }) => by.includes(rule)).length;
  const rows = [...new Set([...held, ...honest].flatMap(({ by }) => by))].map((rule) => ({
    rule,
    held: count(held, rule),
    alone: held.filter(({ by, kinds }) => by.length === 1 && by[0] === rule && kinds.length === 1).length,
    honest: count(honest, rule),
  }));
  return table(
    ['Rule, run or gate', 'Held', 'Nothing else did', 'Honest ones held'],
    rows
      .toSorted((a, b) => b.held - a.held || (a.rule < b.rule ? -1 : 1))
      .map((row) => [
        `\`${row.rule}\``,
        String(row.held),
        String(row.alone || '–'),
        String(row.honest || '–'),
      ]),
  );
}

/** What is known to get through, with the reason. */
export const renderKnownMisses = (corpus: readonly AdversarialCase[]): string =>
  table(
    ['Class', 'Case', 'Why, and what would tell'],
    corpus.flatMap((each) =>
      each.known_miss === undefined ? [] : [[each.class, each.name, each.known_miss]],
    ),
  );

export const renderCorpusResults = (
  judged: readonly JudgedPatch[],
  corpus: readonly AdversarialCase[],
  day: string,
): string =>
  `Judged ${day}: ${judged.filter(({ honest }) => !honest).length} of ${corpus.length} cases. A case that several kinds caught counts in each. Seconds are of one patch, beside whatever else ran.\n\n${byClass(judged)}\n\nWhat each earned:\n\n${byRule(judged)}\n\nKnown to get through:\n\n${renderKnownMisses(corpus)}`;

/** Puts the figures between the markers of a page. @throws when it has none. */
export function writeCorpusResults(file: string, figures: string): void {
  const page = readFileSync(file, 'utf8');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for the figures of the corpus`);
  writeFileSync(file, `${page.slice(0, from + BEGIN.length)}\n\n${figures}\n\n${page.slice(to)}`);
}
