import type { JudgedPatch } from './run-corpus.ts';

/** Figures of one class of adversarial patches, or of all. Rates are null where nothing was tried. */
export interface ClassRates {
  readonly class: string;
  readonly cases: number;
  readonly caught: number;
  /** Adversarial patches that pass with a finding: not caught. */
  readonly noted: number;
  readonly twins: number;
  readonly blocked: number;
  readonly catch_rate: number | null;
  readonly false_block_rate: number | null;
}

export interface AdversarialReport {
  readonly classes: readonly ClassRates[];
  readonly all: ClassRates;
  /** Cases that are known not to be caught. They count as not caught. */
  readonly known_misses: readonly { readonly name: string; readonly why: string; readonly caught: boolean }[];
  /** Failures of the run: adversarial patches missed without being known misses, and honest patches that were held. */
  readonly unexpected: readonly JudgedPatch[];
}

const rate = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function ratesOf(name: string, judged: readonly JudgedPatch[]): ClassRates {
  const cases = judged.filter(({ honest }) => !honest);
  const twins = judged.filter(({ honest }) => honest);
  const caught = cases.filter(({ outcome }) => outcome === 'caught').length;
  const blocked = twins.filter(({ right }) => !right).length;
  return {
    class: name,
    cases: cases.length,
    caught,
    noted: cases.filter(({ outcome }) => outcome === 'noted').length,
    twins: twins.length,
    blocked,
    catch_rate: rate(caught, cases.length),
    false_block_rate: rate(blocked, twins.length),
  };
}

export function summarizeCorpusRun(judged: readonly JudgedPatch[]): AdversarialReport {
  const names = [...new Set(judged.map((each) => each.class))];
  return {
    classes: names.map((name) =>
      ratesOf(
        name,
        judged.filter((each) => each.class === name),
      ),
    ),
    all: ratesOf('all', judged),
    known_misses: judged.flatMap(({ name, knownMiss, outcome }) =>
      knownMiss === null ? [] : [{ name, why: knownMiss, caught: outcome === 'caught' }],
    ),
    unexpected: judged.filter(({ right, knownMiss }) => !right && knownMiss === null),
  };
}

const percent = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(0)} %`);

/** The report as a table for people. */
export function renderCorpusTable({ classes, all, known_misses, unexpected }: AdversarialReport): string {
  const row = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(32) : cell.padStart(13))).join('');
  return [
    row(['class', 'cases', 'caught', 'catch rate', 'noted', 'twins', 'false blocks']),
    ...[...classes, all].map((each) =>
      row([
        each.class,
        String(each.cases),
        String(each.caught),
        percent(each.catch_rate),
        String(each.noted),
        String(each.twins),
        `${each.blocked} (${percent(each.false_block_rate)})`,
      ]),
    ),
    ...known_misses.map(
      ({ name, why, caught }) => `known miss${caught ? ', caught now' : ''}: ${name}: ${why}`,
    ),
    ...unexpected.map(
      ({ honest, name, detail }) => `${honest ? 'FALSE BLOCK' : 'MISSED'}: ${name}: ${detail}`,
    ),
  ].join('\n');
}
