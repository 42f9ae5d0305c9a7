import { sha256 } from '../../lib/sha256.ts';

/** What a task says, as a hash: one that was handed on can be compared with what was asked for first. */
export const hashTaskContent = (title: string, description: string, criteria: readonly string[]): string =>
  sha256(`${title}\n${description}\n${criteria.join('|')}`);
