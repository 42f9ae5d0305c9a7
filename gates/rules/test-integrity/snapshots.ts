import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';

const SNAPSHOT =
  /(^|\/)__(?:file_)?snapshots__\/|\.(?:snap|snapshot|ambr|golden|approved\.\w+)$|(^|\/)testdata\/.*golden/;
export const isSnapshot = (path: string): boolean => SNAPSHOT.test(path);

/** Recorded results that the patch replaces: a person must say that the new ones are right. What is merely added is no loss. */
export const rewrittenSnapshots = (texts: readonly ChangedText[]): Seen[] =>
  texts.flatMap(({ path, from, before, after }) => {
    if (from === null || before === null || !isSnapshot(from)) return [];
    const kept = new Set((after ?? '').split('\n'));
    const lost = before.split('\n').filter((line) => line.trim() !== '' && !kept.has(line)).length;
    if (lost === 0) return [];
    return [
      {
        file: path,
        line: null,
        rule: 'snapshot_rewritten',
        message: `${lost} lines of a recorded result are gone or replaced`,
        weight: after === null ? ('reported' as const) : ('unclear' as const),
      },
    ];
  });
