import { ownCpuMs } from '../../../workspace/process/cpu-time.ts';
import { family } from '../framework/family.ts';
import type { PatchView, Rule } from '../framework/rule.ts';

async function reading(patch: PatchView) {
  const { findMarkers } = await import('./markers.ts');
  return findMarkers(patch, ownCpuMs() + 60_000);
}

const mark = (sign: string, name: string): string => `${sign.repeat(7)} ${name}`;
const CONFLICT = `${mark('<', 'HEAD')}\na = 1\n=======\na = 2\n${mark('>', 'theirs')}\n`;

/** The rule of the gate `merge_conflict` that reads; whether the work merges is asked of git. */
export const MARKER_RULES: readonly Rule[] = family(reading, [
  {
    id: 'conflict_marker',
    default: 'block',
    languages: 'all',
    says: 'a marker of a merge conflict was left in',
    why: 'The file holds both sides of a conflict that nobody has resolved.',
    caught: [
      { name: 'both sides of a conflict', before: { 'a.py': 'a = 1\n' }, after: { 'a.py': CONFLICT } },
    ],
    honest: [
      {
        name: 'a manual that quotes a conflict',
        before: { 'a.py': 'a = 1\n' },
        after: { 'docs/merge.md': `# Conflicts\n\n\`\`\`\n${CONFLICT}\`\`\`\n` },
      },
      {
        name: 'a heading that is underlined',
        before: { 'a.py': 'a = 1\n' },
        after: { 'docs/a.rst': 'Title\n=======\n' },
      },
    ],
  },
]);
