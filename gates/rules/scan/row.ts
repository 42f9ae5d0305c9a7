import type { Level } from '../../core/rule-settings.ts';
import type { Row } from '../framework/family.ts';

const PROJECT = {
  'README.md': '# Shop\n',
  'package.json': '{"name":"shop","license":"Apache-2.0","author":"Acme Ltd"}\n',
};

interface Scanned {
  readonly id: string;
  readonly default: Level;
  readonly says: string;
  /** What follows from it where it is true. */
  readonly why: string;
  /** Path and text of a file that has it, and of one that looks alike and has not. */
  readonly has: readonly [path: string, text: string];
  readonly hasNot: readonly [path: string, text: string];
}

/** A rule of a scan, with a file that a patch adds on either side. */
export const scanned = ({ has, hasNot, ...card }: Scanned): Row => ({
  ...card,
  languages: 'all',
  caught: [{ name: `it stands in ${has[0]}`, before: PROJECT, after: { [has[0]]: `${has[1]}\n` } }],
  honest: [
    { name: `${hasNot[0]} only looks like it`, before: PROJECT, after: { [hasNot[0]]: `${hasNot[1]}\n` } },
  ],
});
