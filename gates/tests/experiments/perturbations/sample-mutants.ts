import { createHash } from 'node:crypto';
import type { Mutant } from './mutants.ts';

/** A mutant of one file of the patch. */
export interface PlacedMutant extends Mutant {
  readonly path: string;
}

const mutantRank = ({ path, start, description }: PlacedMutant): string =>
  createHash('sha256').update(`${path}\0${start}\0${description}`).digest('hex');

/**
 * Some of many mutants, the same ones each time, spread over files and lines: the first of every line in the order of a hash, then the
 * second, and so on.
 */
export function sampleMutants(mutants: readonly PlacedMutant[], most: number): PlacedMutant[] {
  const lines = new Map<string, PlacedMutant[]>();
  for (const each of mutants.toSorted((a, b) => (mutantRank(a) < mutantRank(b) ? -1 : 1)))
    lines.set(`${each.path}\0${each.line}`, [...(lines.get(`${each.path}\0${each.line}`) ?? []), each]);
  const rounds: PlacedMutant[] = [];
  for (let round = 0; rounds.length < mutants.length; round++)
    for (const line of lines.values()) {
      const each = line[round];
      if (each) rounds.push(each);
    }
  return rounds.slice(0, most);
}
